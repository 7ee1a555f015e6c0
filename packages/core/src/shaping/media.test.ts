import { describe, expect, it } from "vitest";
import { splitMediaFromOutput } from "./media.ts";

describe("media directives", () => {
  it.each<[string, string, string[]]>([
    ["Look:\nMEDIA: https://cdn.example.org/a.png", "Look:", ["https://cdn.example.org/a.png"]],
    ["MEDIA: ./one.png\nText\nMEDIA: ./two.png", "Text", ["./one.png", "./two.png"]],
    ["  MEDIA: https://e.org/b.jpg", "", ["https://e.org/b.jpg"]],
    ["MEDIA: https://e.org/1.png https://e.org/2.png", "", ["https://e.org/1.png", "https://e.org/2.png"]],
    ["MEDIA: ./a.png, ./b.png", "", ["./a.png", "./b.png"]],
    ['MEDIA: `a.png` "my b.png"', "", ["a.png", "my b.png"]],
    ["MEDIA:`/tmp/out/pic.png`", "", ["/tmp/out/pic.png"]],
    ['MEDIA: "/tmp/my files/pic.png"', "", ["/tmp/my files/pic.png"]],
    ["MEDIA: /tmp/my files/pic.png", "", ["/tmp/my files/pic.png"]],
    ["MEDIA: holiday photo.jpg", "", ["holiday photo.jpg"]],
    ["MEDIA: chart.png", "", ["chart.png"]],
    ["MEDIA: out/chart.png", "", ["out/chart.png"]],
    ["MEDIA:report", "", ["report"]],
    ["MEDIA:x", "", ["x"]],
    ["MEDIA: ../x.png", "", ["../x.png"]],
    ["MEDIA: ~/x.png", "", ["~/x.png"]],
    ["MEDIA: C:\\pics\\x.png", "", ["C:\\pics\\x.png"]],
    ["MEDIA: file:///tmp/x.ogg", "", ["/tmp/x.ogg"]],
    ["MEDIA: <https://e.org/a.png>", "", ["https://e.org/a.png"]],
    ["MEDIA: ./a.png ./a.png", "", ["./a.png"]],
    ["Hi\n<MEDIA_URL>https://e.org/a.png</MEDIA_URL>", "Hi", ["https://e.org/a.png"]],
    ["Hi <media_url> ./a.png </media_url> there", "Hi there", ["./a.png"]],
    ["<MEDIA_URL>\n./a.png\n</MEDIA_URL>\nHi", "Hi", ["./a.png"]],
    ["<MEDIA_URL>./a.png\nHi", "Hi", ["./a.png"]],
    ["one\r\nMEDIA: ./a.png\r\ntwo", "one\r\ntwo", ["./a.png"]],
  ])("%j", (raw, text, mediaUrls) => {
    expect(splitMediaFromOutput(raw)).toEqual({ text, mediaUrls, mediaUrl: mediaUrls[0] });
  });

  it.each([
    "line one\n\nline two",
    "see MEDIA: https://e.org/a.png",
    "MEDIA: none",
    "MEDIA:",
    "MEDIA: see the page at example.com",
    "MEDIA: /help shows the commands",
    "MEDIA: https://e.org/a.png shows the chart",
    "MEDIA: javascript:alert(1).png",
    "MEDIA: ftp://e.org/a.png",
    "media: https://e.org/a.png",
    "> MEDIA: ./a.png",
    "```\nMEDIA: https://e.org/a.png\n```",
    "    MEDIA: ./a.png",
    "`<MEDIA_URL>./a.png</MEDIA_URL>`",
    "<MEDIA_URL>the chart</MEDIA_URL>",
    // The original trimmed this to nothing; text without media leaves as it came.
    "   ",
  ])("%j stays text", (text) => {
    expect(splitMediaFromOutput(text)).toEqual({ text });
  });
});
