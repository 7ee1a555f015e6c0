import { describe, expect, it } from "vitest";
import { SHAPE_STEPS, shapeReply, type ShapeContext } from "./shape.ts";

const context: ShapeContext = {
  currentMessageId: "7",
  silentToken: "NO_REPLY",
  mediaAllowed: (url) =>
    url.startsWith("/workspace/") || url.startsWith("https://") ? url : url.startsWith("./") ? `/workspace/${url.slice(2)}` : null,
};

function textOf(text: string): string | undefined {
  const shaped = shapeReply({ text }, context);
  return "payload" in shaped ? shaped.payload.text : undefined;
}

describe("shaping a reply", () => {
  it("has its steps in the documented order", () => {
    expect(SHAPE_STEPS.map((step) => step.name)).toEqual([
      "reasoning",
      "leaked-markup",
      "heartbeat",
      "directives",
      "media-policy",
      "already-sent",
      "prefix",
      "empty",
    ]);
  });

  it.each([
    ["<think>hm</think><final>Hello</final>", "Hello"],
    ["[[reply_to_current]] Hello", "Hello"],
    ["Done. NO_REPLY", "Done."],
    ["Fine HEARTBEAT_OK", "Fine"],
    ["HEARTBEAT_OK\nNO_REPLY\nHello", "Hello"],
    ["Hello <thi[[audio_as_voice]]nk>secret", "Hello"],
    ["[[reply_to[[reply_to_current]]_current]] Hello", "Hello"],
    ["NO_REPLY is a word", "NO_REPLY is a word"],
    ["  spaces  stay \n\n", "  spaces  stay \n\n"],
  ])("%j says %j", (text, expected) => {
    expect(textOf(text)).toBe(expected);
  });

  it.each([
    [{ text: "NO_REPLY" }, "directives", "the agent chose to stay silent"],
    [{ text: "<think>only</think>NO_REPLY" }, "directives", "the agent chose to stay silent"],
    [{ text: "HEARTBEAT_OK" }, "heartbeat", "it only acknowledged a heartbeat"],
    [{ text: "hm", isReasoning: true }, "reasoning", "it was the model's reasoning"],
    [{ text: "<think>only" }, "empty", "nothing was left to send"],
    [{ text: "" }, "empty", "nothing was left to send"],
    [{ text: "[[reply_to_current]]" }, "empty", "nothing was left to send"],
    [{ channelData: {} }, "empty", "nothing was left to send"],
  ])("drops %j and says which step did and why", (payload, by, why) => {
    expect(shapeReply(payload, context)).toEqual({ dropped: true, by, why });
  });

  it("resolves allowed media and puts a notice in place of refused ones", () => {
    expect(shapeReply({ text: "Look:\nMEDIA: ./a.png\nMEDIA: /etc/passwd" }, context)).toEqual({
      payload: {
        text: "Look:\n(file not available)",
        mediaUrls: ["/workspace/a.png"],
        mediaUrl: "/workspace/a.png",
        replyToTag: false,
        replyToCurrent: false,
        audioAsVoice: false,
      },
    });
    expect(textOf("MEDIA: /etc/passwd")).toBe("(file not available)");
  });

  it.each(["NO_REPLY", "HEARTBEAT_OK"])("sends media without a caption when the text is %s", (token) => {
    expect(shapeReply({ text: token, mediaUrl: "./a.png" }, context)).toMatchObject({
      payload: { text: "", mediaUrl: "/workspace/a.png" },
    });
  });

  it("keeps channel data when the text is silent", () => {
    expect(shapeReply({ text: "NO_REPLY", channelData: { web: 1 } }, context)).toMatchObject({
      payload: { text: "", channelData: { web: 1 } },
    });
  });

  it("asks about each medium once, however often the text has to be read again", () => {
    const asked: string[] = [];
    shapeReply(
      { text: "<thi[[audio_as_voice]]nk>x</think>Hi\nMEDIA: ./a.png" },
      {
        ...context,
        mediaAllowed(url) {
          asked.push(url);
          return `/workspace/${asked.length}.png`;
        },
      },
    );
    expect(asked).toEqual(["./a.png"]);
  });

  it("in a heartbeat run swallows a short remainder and delivers a real alert", () => {
    const run = { ...context, heartbeatAckMaxChars: 300 };
    expect(shapeReply({ text: "HEARTBEAT_OK all fine" }, run)).toMatchObject({ dropped: true, by: "heartbeat" });
    const alert = "Disk /data is at 97%. ".repeat(20).trim();
    expect(shapeReply({ text: `HEARTBEAT_OK\n${alert}` }, run)).toMatchObject({ payload: { text: alert } });
  });
});
