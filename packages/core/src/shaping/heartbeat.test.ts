import { describe, expect, it } from "vitest";
import { stripHeartbeatToken } from "./heartbeat.ts";

describe("a heartbeat acknowledgement", () => {
  it.each([
    "HEARTBEAT_OK",
    "heartbeat_ok",
    "**HEARTBEAT_OK**",
    "`HEARTBEAT_OK`",
    "```\nHEARTBEAT_OK\n```",
    "<b>HEARTBEAT_OK</b>",
    "HEARTBEAT_OK.",
    "\u200bHEARTBEAT_OK\n",
    "HEARTBEAT_OK HEARTBEAT_OK",
    "HEARTBEAT\\_OK",
  ])("%j leaves nothing to say", (text) => {
    expect(stripHeartbeatToken(text)).toEqual({ text: "", didStrip: true, shouldSkip: true });
  });

  it.each([
    ["Backups fine HEARTBEAT_OK", "Backups fine"],
    ["Queue length 12. HEARTBEAT_OK", "Queue length 12."],
    ["Backups fine.\n**HEARTBEAT_OK**", "Backups fine."],
    ["**Backups fine HEARTBEAT_OK**", "**Backups fine**"],
    ["HEARTBEAT_OK all good", "all good"],
    ["HEARTBEAT_OK: all good", "all good"],
    ["HEARTBEAT_OK - all good", "all good"],
    ["HEARTBEAT_OK\n\n- one\n- two", "- one\n- two"],
    ["HEARTBEAT_OK\n    code  ", "    code  "],
    ["**HEARTBEAT_OK** all good", "all good"],
    ["**HEARTBEAT_OK all good**", "**all good**"],
    ["<b>HEARTBEAT_OK</b> all good", "all good"],
    ["HEARTBEAT_OK all good HEARTBEAT_OK HEARTBEAT_OK.", "all good"],
    ["HEARTBEAT_OK好的", "好的"],
  ])("%j in an ordinary turn delivers %j", (text, expected) => {
    expect(stripHeartbeatToken(text)).toEqual({ text: expected, didStrip: true, shouldSkip: false });
  });

  it.each([
    "Before HEARTBEAT_OK after",
    "HEARTBEAT_OK_NOT is a name",
    "MY_HEARTBEAT_OK",
    "Answer with:\n```\nHEARTBEAT_OK\n```",
    // The original trimmed here; an ordinary text leaves as it came.
    "  disk is full  ",
  ])("%j is text", (text) => {
    expect(stripHeartbeatToken(text)).toEqual({ text, didStrip: false, shouldSkip: false });
  });

  it("in a heartbeat run swallows a remainder of 300 characters and delivers one of 301", () => {
    expect(stripHeartbeatToken(`HEARTBEAT_OK ${"y".repeat(300)}`, { mode: "heartbeat" }).shouldSkip).toBe(true);
    expect(stripHeartbeatToken(`HEARTBEAT_OK ${"😀".repeat(300)}`, { mode: "heartbeat" }).shouldSkip).toBe(true);
    const long = "x".repeat(301);
    expect(stripHeartbeatToken(`HEARTBEAT_OK ${long}`, { mode: "heartbeat" })).toEqual({ text: long, didStrip: true, shouldSkip: false });
    expect(stripHeartbeatToken("HEARTBEAT_OK 12345", { mode: "heartbeat", maxAckChars: 4 }).shouldSkip).toBe(false);
  });

  it("never swallows an alert, however short, that lacks the token", () => {
    expect(stripHeartbeatToken("Disk full", { mode: "heartbeat" }).shouldSkip).toBe(false);
  });
});
