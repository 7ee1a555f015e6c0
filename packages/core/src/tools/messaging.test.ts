import { describe, expect, it } from "vitest";
import { extractMessagingToolSend, isMessagingTool, isMessagingToolSendAction, isToolResultError } from "./messaging.ts";

const channels = new Map([
  [
    "fake",
    {
      actions: {
        extractToolSend: ({ args }: { readonly args: unknown }) => {
          const { chat } = args as { chat?: string };
          return chat === undefined ? undefined : { to: chat.replace("@", "") };
        },
      },
    },
  ],
  ["mute", {}],
]);

describe("a messaging tool", () => {
  it.each([
    ["message", true],
    [" Message ", true],
    ["sessions_send", true],
    ["fake", true],
    ["mute", false],
    ["read", false],
    ["", false],
  ])("%j: %j", (name, expected) => {
    expect(isMessagingTool(name, channels)).toBe(expected);
  });
});

describe("a call that sends", () => {
  it.each([
    ["message", { action: "send" }, true],
    ["message", { action: "thread-reply" }, true],
    ["message", { action: "read" }, false],
    ["message", {}, false],
    ["message", null, false],
    ["sessions_send", {}, true],
    ["fake", { chat: "1" }, true],
    ["fake", {}, false],
    ["read", { action: "send" }, false],
  ])("%s with %j: %j", (name, args, expected) => {
    expect(isMessagingToolSendAction(name, args, channels)).toBe(expected);
  });

  it("says where to in the words of the channel, whatever the arguments call it", () => {
    expect(extractMessagingToolSend("message", { action: "send", provider: "Fake", chat: "@7", content: "hi" }, channels)).toEqual({
      tool: "message",
      provider: "fake",
      to: "7",
      text: "hi",
      mediaUrls: [],
    });
    expect(extractMessagingToolSend("fake", { chat: "@7", message: "hi", accountId: "main" }, channels)).toMatchObject({
      provider: "fake",
      accountId: "main",
      to: "7",
      text: "hi",
    });
    expect(
      extractMessagingToolSend("message", { action: "send", target: 42, channel: "other", content: "a", message: "b" }, channels),
    ).toEqual({
      tool: "message",
      provider: "other",
      to: "42",
      text: "a",
      mediaUrls: [],
    });
    expect(extractMessagingToolSend("message", { action: "send", mediaUrl: "./a.mp3", mediaUrls: ["./a.mp3", "./b.mp3"] })).toEqual({
      tool: "message",
      text: "",
      mediaUrls: ["./a.mp3", "./b.mp3"],
    });
    expect(extractMessagingToolSend("message", { action: "react", to: "1" })).toBeUndefined();
  });
});

describe("a result that says that it failed", () => {
  it.each([
    ['{"ok":false}', true],
    ['{"status":"error","error":"no such chat"}', true],
    [' {"error":"x"}', true],
    ['{"status":"timeout"}', true],
    ['{"ok":true,"error":null}', false],
    ['{"status":"ok"}', false],
    ["Sent.", false],
    ["{no json", false],
    ['["error"]', false],
  ])("%s: %j", (text, expected) => {
    expect(isToolResultError(text)).toBe(expected);
  });
});
