import { describe, expect, it } from "vitest";
import { isSilentReplyText, isStrictlySilent, removeSilentBlocks, stripSilentToken } from "./silent.ts";

describe("a text that is the silent token", () => {
  it.each([
    "NO_REPLY",
    "no_reply",
    "No_Reply",
    "  NO_REPLY  \n",
    "  \n NO_REPLY",
    "NO_REPLY.",
    "NO_REPLY!!!",
    "NO_REPLY**",
    "**NO_REPLY**",
    "`NO_REPLY`",
    "```\nNO_REPLY\n```",
    '"NO_REPLY"',
    "“NO_REPLY”",
    "\u200bNO_REPLY",
    "<b>NO_REPLY</b>",
    "NO\\_REPLY",
    "(NO_REPLY)",
  ])("%j is silent", (text) => {
    expect(isSilentReplyText(text)).toBe(true);
    expect(stripSilentToken(text)).toEqual({ text: "", found: true });
  });

  it.each([
    "",
    "   ",
    "The NO_REPLY token means silence",
    "NO_REPLY_NEEDED",
    "NO_REPLY 👍",
    "NO REPLY",
    // The original rule called these silent, and lost what they say.
    "nothing for me NO_REPLY!!!",
    "好的NO_REPLY",
    "NO_REPLY好的",
  ])("%j is not", (text) => {
    expect(isSilentReplyText(text)).toBe(false);
  });

  it("goes by the configured token", () => {
    expect(isSilentReplyText("[silent]", "[SILENT]")).toBe(true);
    expect(isSilentReplyText("Silent.", "[SILENT]")).toBe(false);
    expect(isSilentReplyText("NO_REPLY", "HUSH")).toBe(false);
    expect(isSilentReplyText("anything", "")).toBe(false);
    expect(isSilentReplyText(undefined)).toBe(false);
  });
});

describe("the silent token at the edge of a longer text", () => {
  it.each([
    ["Done. NO_REPLY", "Done."],
    ["Done! no_reply.", "Done!"],
    ['He said "stop." NO_REPLY', 'He said "stop."'],
    ["Done. **NO_REPLY**", "Done."],
    ["Done. NO_REPLY NO_REPLY", "Done."],
    ["好的NO_REPLY", "好的"],
    ["好的。NO_REPLY", "好的。"],
    ["わかりました NO_REPLY", "わかりました"],
    ["Answer\n\nNO_REPLY", "Answer"],
    ["Answer\nNO_REPLY\n\n**NO_REPLY**\n", "Answer"],
    ["NO_REPLY\n\n    code", "    code"],
    ["NO_REPLY\nAnswer\nNO_REPLY", "Answer"],
    ["  Answer\nNO_REPLY", "  Answer"],
  ])("%j delivers %j", (text, expected) => {
    expect(stripSilentToken(text)).toEqual({ text: expected, found: true });
  });

  it.each([
    "nothing for me NO_REPLY!!!",
    "NO_REPLY好的",
    "NO_REPLY is the token",
    "The NO_REPLY token means silence",
    "Send NO_REPLY_NEEDED",
    "It is Flags.NO_REPLY",
    "Flags:\n- FORCE\n- NO_REPLY",
    "Answer with exactly:\n`NO_REPLY`",
    "```\nFORCE\nNO_REPLY",
    "Answer:\n\n    NO_REPLY",
    "plain text",
    "",
  ])("%j is text", (text) => {
    expect(stripSilentToken(text)).toEqual({ text, found: false });
  });
});

describe("silent blocks", () => {
  it.each([
    ["<SILENT>status: idle</SILENT>", ""],
    ["<SILENT>status</SILENT>\nHello", "Hello"],
    ["Hello <silent>psst</silent> you", "Hello you"],
    ["Hello <SILENT>never closed", "Hello"],
  ])("%j shows %j", (text, expected) => {
    expect(removeSilentBlocks(text)).toEqual({ text: expected, found: true });
  });

  it("are text in code", () => {
    expect(removeSilentBlocks("Write `<SILENT>x</SILENT>`.")).toEqual({ text: "Write `<SILENT>x</SILENT>`.", found: false });
  });
});

describe("strict silence", () => {
  it.each([
    "NO_REPLY",
    "no_reply and why",
    "Done.\nNO_REPLY",
    "**NO_REPLY** because",
    "I say NO_REPLY!",
    "a <SILENT>x</SILENT> b",
    "好的 NO_REPLY",
  ])("takes all of %j", (text) => expect(isStrictlySilent(text)).toBe(true));
  it.each(["", "hello", "the NO_REPLY token ends", "NO_REPLY_NEEDED", "XNO_REPLY", "`<SILENT>x</SILENT>` is a tag"])("leaves %j", (text) =>
    expect(isStrictlySilent(text)).toBe(false),
  );
});
