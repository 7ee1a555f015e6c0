import { describe, expect, it } from "vitest";
import { parseInlineDirectives, parseReplyDirectives } from "./directives.ts";

const none = { replyToCurrent: false, audioAsVoice: false, hasReplyTag: false, hasAudioTag: false };

describe("reply tags", () => {
  it.each([
    ["[[reply_to_current]] yes", "7", { text: "yes", replyToId: "7", replyToCurrent: true, hasReplyTag: true }],
    ["[[REPLY_TO_CURRENT]] yes", "7", { text: "yes", replyToId: "7", replyToCurrent: true, hasReplyTag: true }],
    ["[[reply_to_current]] yes", undefined, { text: "yes", replyToCurrent: true, hasReplyTag: true }],
    ["[[reply_to:9981]]done", "7", { text: "done", replyToId: "9981", replyToExplicitId: "9981", hasReplyTag: true }],
    ["[[ reply_to : abc-1 ]] ok", "7", { text: "ok", replyToId: "abc-1", replyToExplicitId: "abc-1", hasReplyTag: true }],
    ["[[reply:5]] ok", "7", { text: "ok", replyToId: "5", replyToExplicitId: "5", hasReplyTag: true }],
    ["[[reply_to:   ]] x", undefined, { text: "x", hasReplyTag: true }],
    ["[[reply_to:1]] a [[reply_to:2]]", "7", { text: "a", replyToId: "2", replyToExplicitId: "2", hasReplyTag: true }],
    [
      "[[reply_to:1]] a [[reply_to_current]]",
      "7",
      { text: "a", replyToId: "1", replyToExplicitId: "1", replyToCurrent: true, hasReplyTag: true },
    ],
    ["[[audio_as_voice]] here", undefined, { text: "here", audioAsVoice: true, hasAudioTag: true }],
    ["<REPLY_TO current=true>Hello", "7", { text: "Hello", replyToId: "7", replyToCurrent: true, hasReplyTag: true }],
    ['<reply_to current="true" /> Hello', "7", { text: "Hello", replyToId: "7", replyToCurrent: true, hasReplyTag: true }],
    ['<REPLY_TO id="om 5">Hello</REPLY_TO>', "7", { text: "Hello", replyToId: "om 5", replyToExplicitId: "om 5", hasReplyTag: true }],
    ["<REPLY_TO id=5/>Hello", "7", { text: "Hello", replyToId: "5", replyToExplicitId: "5", hasReplyTag: true }],
    ["<REPLY_TO current=false>Hello", "7", { text: "Hello", hasReplyTag: true }],
    [
      "First.\n[[reply_to_current]]\n    indented",
      "7",
      { text: "First.\n    indented", replyToId: "7", replyToCurrent: true, hasReplyTag: true },
    ],
  ])("%j", (raw, currentMessageId, expected) => {
    expect(parseInlineDirectives(raw, currentMessageId === undefined ? {} : { currentMessageId })).toEqual({ ...none, ...expected });
  });

  it.each([
    "[[reply_now]] x",
    "[[wiki link]]",
    "[[reply_to_current]",
    "Write `[[reply_to_current]]` first.",
    "```\n[[tts:text]]hi[[/tts:text]]\n```",
    "    [[audio_as_voice]]",
    'Use `<REPLY_TO id="5">`.',
    "<reply_tool>",
  ])("%j is text", (text) => {
    expect(parseInlineDirectives(text, { currentMessageId: "7" })).toEqual({ ...none, text });
  });

  it("can leave the audio tag in place", () => {
    const text = "[[audio_as_voice]] x";
    expect(parseInlineDirectives(text, { stripAudioTag: false })).toEqual({ ...none, text, audioAsVoice: true, hasAudioTag: true });
  });
});

describe("everything that a reply says about its delivery", () => {
  const plain = { replyToCurrent: false, replyToTag: false, audioAsVoice: false, isSilent: false };

  it.each([
    ["NO_REPLY", { text: "", isSilent: true }],
    ["[[reply_to_current]] NO_REPLY", { text: "", replyToId: "7", replyToCurrent: true, replyToTag: true, isSilent: true }],
    ["MEDIA: /tmp/a.png\nNO_REPLY", { text: "", mediaUrls: ["/tmp/a.png"], mediaUrl: "/tmp/a.png", isSilent: true }],
    ["NO_REPLY\nMEDIA:./chart.png", { text: "", mediaUrls: ["./chart.png"], mediaUrl: "./chart.png", isSilent: true }],
    ["<SILENT>all quiet</SILENT>", { text: "", isSilent: true }],
    ["Done. NO_REPLY", { text: "Done." }],
    ["[[reply_to_current]]", { text: "", replyToId: "7", replyToCurrent: true, replyToTag: true }],
    ["", { text: "" }],
    [
      "<REPLY_TO current=true>\n<SILENT>status: working</SILENT>\nHere is the chart.\n<MEDIA_URL>https://e.org/c.png</MEDIA_URL>",
      {
        text: "Here is the chart.",
        mediaUrls: ["https://e.org/c.png"],
        mediaUrl: "https://e.org/c.png",
        replyToId: "7",
        replyToCurrent: true,
        replyToTag: true,
      },
    ],
    ["[[audio_as_voice]]\nMEDIA: /tmp/a.ogg", { text: "", mediaUrls: ["/tmp/a.ogg"], mediaUrl: "/tmp/a.ogg", audioAsVoice: true }],
    ["[[reply_to[[reply_to_current]]:5]] x", { text: "x", replyToId: "5", replyToCurrent: true, replyToTag: true }],
  ])("%j", (raw, expected) => {
    expect(parseReplyDirectives(raw, { currentMessageId: "7" })).toEqual({ ...plain, ...expected });
  });

  it("goes by the configured silent token", () => {
    expect(parseReplyDirectives("HUSH", { silentToken: "HUSH" }).isSilent).toBe(true);
    expect(parseReplyDirectives("NO_REPLY", { silentToken: "HUSH" })).toEqual({ ...plain, text: "NO_REPLY" });
  });
});
