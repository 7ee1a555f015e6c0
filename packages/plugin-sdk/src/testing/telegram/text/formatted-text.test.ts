import { describe, expect, it } from "vitest";
import { Refusal } from "../refusal.ts";
import type { WireEntity, WireUser } from "../wire.ts";
import { readFormatting, storeCaption, storeMessageText } from "./formatted-text.ts";

const ANNA: WireUser = { id: 42, is_bot: false, first_name: "Anna" };
const findUser = (id: number): WireUser | undefined => (id === ANNA.id ? ANNA : undefined);

function store(text: string, { parseMode = "", entities }: { parseMode?: string; entities?: unknown } = {}) {
  return storeMessageText(readFormatting({ text, parseMode, entities }, findUser));
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error.description;
    throw error;
  }
  return "accepted";
}

const bold = (offset: number, length: number): WireEntity => ({ type: "bold", offset, length });

describe("given entities", () => {
  it.each<[string, string, unknown[], string]>([
    ["an unknown type", "hi", [{ type: "shiny", offset: 0, length: 2 }], "can't parse MessageEntity: Unsupported type specified"],
    ["a link without an address", "hi", [{ type: "text_link", offset: 0, length: 2 }], `can't parse MessageEntity: Can't find field "url"`],
    [
      "a mail address as a link",
      "hi",
      [{ type: "text_link", offset: 0, length: 2, url: "mailto:a@b.com" }],
      "entity URL 'mailto:a@b.com' is invalid: Unsupported URL protocol",
    ],
    [
      "a script as a link",
      "hi",
      [{ type: "text_link", offset: 0, length: 2, url: "javascript:alert(1)" }],
      "entity URL 'javascript:alert(1)' is invalid: Unsupported URL protocol",
    ],
    [
      "a host without a dot",
      "hi",
      [{ type: "text_link", offset: 0, length: 2, url: "http://localhost:1/x" }],
      "entity URL 'http://localhost:1/x' is invalid: Wrong HTTP URL",
    ],
    ["an unknown person", "hi", [{ type: "text_mention", offset: 0, length: 2, user: { id: 7 } }], "user not found"],
    ["a missing offset", "hi", [{ type: "bold", length: 2 }], `can't parse MessageEntity: Can't find field "offset"`],
    ["a negative offset", "hi", [bold(-1, 2)], "receive an entity with incorrect offset -1"],
    ["a start inside an emoji", "😀 hi", [bold(1, 2)], "entity begins in a middle of a UTF-16 symbol at byte offset 4"],
    [
      "an end inside an emoji",
      "😀 hi",
      [bold(0, 1)],
      "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 4",
    ],
    ["a start beyond the text", "hi", [bold(3, 1)], "entity begins after the end of the text at UTF-16 offset 3"],
    ["an end beyond the text", "hi", [bold(1, 4)], "entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 5"],
    ["half of a pair in the text", "a\ud83d", [], "strings must be encoded in UTF-8"],
  ])("are refused for %s", (_what, text, entities, reason) => {
    expect(refusal(() => store(text, { entities }))).toBe(`Bad Request: ${reason}`);
  });

  it("keep their data, and automatic ones are ignored", () => {
    const given = [
      { type: "pre", offset: 0, length: 3, language: "ts" },
      { type: "text_link", offset: 4, length: 3, url: "example.com" },
      { type: "text_mention", offset: 8, length: 4, user: { id: 42 } },
      { type: "hashtag", offset: 0, length: 3 },
      { type: "date_time", offset: 13, length: 3, unix_time: 1_790_000_000, date_time_format: "wdt" },
    ];
    expect(store("let foo anna now", { entities: given }).entities).toEqual([
      { type: "pre", offset: 0, length: 3, language: "ts" },
      { type: "text_link", offset: 4, length: 3, url: "http://example.com/" },
      { type: "text_mention", offset: 8, length: 4, user: ANNA },
      { type: "date_time", offset: 13, length: 3, unix_time: 1_790_000_000, date_time_format: "wdt" },
    ]);
  });

  it.each<[string, WireEntity[], WireEntity[]]>([
    [
      "crossing styles are cut",
      [bold(0, 5), { type: "italic", offset: 3, length: 5 }],
      [bold(0, 3), { type: "italic", offset: 3, length: 5 }, bold(3, 2)],
    ],
    ["touching equal styles become one", [bold(0, 3), bold(3, 3)], [bold(0, 6)]],
    ["a style inside code is dropped", [{ type: "code", offset: 0, length: 8 }, bold(2, 3)], [{ type: "code", offset: 0, length: 8 }]],
    [
      "code inside a style is kept and cuts it",
      [bold(0, 9), { type: "code", offset: 3, length: 3 }],
      [bold(0, 3), { type: "code", offset: 3, length: 3 }, bold(6, 3)],
    ],
    [
      "the second of two crossing links is dropped",
      [
        { type: "code", offset: 0, length: 5 },
        { type: "pre", offset: 3, length: 5 },
      ],
      [{ type: "code", offset: 0, length: 5 }],
    ],
    [
      "a quote in a quote is dropped",
      [
        { type: "blockquote", offset: 0, length: 9 },
        { type: "blockquote", offset: 2, length: 3 },
      ],
      [{ type: "blockquote", offset: 0, length: 9 }],
    ],
    [
      "code that leaves its quote is dropped",
      [
        { type: "blockquote", offset: 0, length: 5 },
        { type: "code", offset: 3, length: 5 },
      ],
      [{ type: "blockquote", offset: 0, length: 5 }],
    ],
    [
      "code inside a quote is kept",
      [
        { type: "blockquote", offset: 0, length: 9 },
        { type: "code", offset: 3, length: 3 },
      ],
      [
        { type: "blockquote", offset: 0, length: 9 },
        { type: "code", offset: 3, length: 3 },
      ],
    ],
  ])("are repaired: %s", (_what, entities, expected) => {
    expect(store("abcdefghi", { entities }).entities).toEqual(expected);
  });

  it("beyond a hundred are dropped without a word", () => {
    const text = "a b ".repeat(150).trim();
    const entities = Array.from({ length: 120 }, (_value, index) => bold(index * 2, 1));
    expect(store(text, { entities }).entities).toHaveLength(100);
  });
});

describe("cleaning", () => {
  it.each<[string, string, WireEntity[], string, WireEntity[]]>([
    ["blanks at the ends go and entities move", "  \n hello ", [bold(4, 5)], "hello", [bold(0, 5)]],
    ["tabs and control characters become blanks", "a\tb\u0007c", [], "a b c", []],
    ["carriage returns go and entities move", "a\r\nb\r\nc", [bold(3, 1), bold(6, 1)], "a\nb\nc", [bold(2, 1), bold(4, 1)]],
    ["bidi overrides go", "a\u202eb\u2028c", [bold(2, 1)], "abc", [bold(1, 1)]],
    ["combining lines go", "a\u0333b\u030ac", [bold(4, 1)], "abc", [bold(2, 1)]],
    ["a style on blanks alone goes", "a   b", [bold(1, 3)], "a   b", []],
    ["a style never starts with a blank", "a  b", [bold(1, 3)], "a  b", [bold(3, 1)]],
    ["a style at the end is cut with the text", "ab  ", [bold(1, 3)], "ab", [bold(1, 1)]],
    ["an empty entity goes", "ab", [bold(1, 0)], "ab", []],
  ])("%s", (_what, text, entities, expectedText, expectedEntities) => {
    expect(store(text, { entities })).toEqual({ text: expectedText, entities: expectedEntities });
  });

  it.each(["   ", "\n\n", "\u200b\u2060", "\u2800", "\u00a0\u3000"])("an invisible text %j is refused as empty", (text) => {
    expect(refusal(() => store(text))).toBe("Bad Request: text must be non-empty");
  });
});

describe("lengths", () => {
  it("a text of 4096 UTF-16 units passes and one more does not", () => {
    expect(store("x".repeat(4096)).text).toHaveLength(4096);
    expect(refusal(() => store("x".repeat(4097)))).toBe("Bad Request: message is too long");
    expect(refusal(() => store("😀".repeat(2048)))).toBe("accepted");
    expect(refusal(() => store("😀".repeat(2049)))).toBe("Bad Request: message is too long");
  });

  it("are counted after the markup is gone", () => {
    expect(refusal(() => store(`<b>${"x".repeat(4096)}</b>`, { parseMode: "HTML" }))).toBe("accepted");
  });

  it("a caption of 1024 passes, an empty one too, and 1025 does not", () => {
    const caption = (length: number) => () => storeCaption({ text: "x".repeat(length), entities: [] });
    expect(refusal(caption(0))).toBe("accepted");
    expect(refusal(caption(1024))).toBe("accepted");
    expect(refusal(caption(1025))).toBe("Bad Request: message caption is too long");
  });
});

describe("HTML", () => {
  it.each<[string, string]>([
    ["<p>x</p>", `Unsupported start tag "p" at byte offset 0`],
    ["ä<h1>x</h1>", `Unsupported start tag "h1" at byte offset 2`],
    ["a < b", `Unsupported start tag "" at byte offset 2`],
    ["<b>x", `Can't find end tag corresponding to start tag "b"`],
    ["<b>x</i>", `Unmatched end tag at byte offset 4, expected "</b>", found "</i>"`],
    ["x</b>", "Unexpected end tag at byte offset 1"],
    ["<b", "Unclosed start tag at byte offset 0"],
    ["<b>x</b", "Unclosed end tag at byte offset 4"],
    ["<a href>x</a>", `Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0`],
    ["<a href=http://x.y>x</a>", "Unexpected end of name token at byte offset 8"],
    ['<a href="x.y>x</a>', "Unclosed start tag at byte offset 0"],
    ["<span>x</span>", `Tag "span" must have class "tg-spoiler" at byte offset 0`],
    ["<tg-emoji>x</tg-emoji>", "Invalid custom emoji identifier specified"],
    ["&#xd83d;", "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units"],
  ])("%s is refused", (html, reason) => {
    expect(refusal(() => store(html, { parseMode: "HTML" }))).toBe(`Bad Request: can't parse entities: ${reason}`);
  });

  it.each<[string, string, WireEntity[]]>([
    ["<b>a</b><STRONG>b</STRONG>", "ab", [bold(0, 2)]],
    [
      "<i>a <u>b</u></i>",
      "a b",
      [
        { type: "italic", offset: 0, length: 3 },
        { type: "underline", offset: 2, length: 1 },
      ],
    ],
    ['<span class="tg-spoiler">x</span>', "x", [{ type: "spoiler", offset: 0, length: 1 }]],
    ['<a href="https://x.org/?a=1&amp;b=2">x</a>', "x", [{ type: "text_link", offset: 0, length: 1, url: "https://x.org/?a=1&b=2" }]],
    ['<a href="mailto:a@b.c">x</a>', "x", []],
    ['<a href="tg://user?id=42">x</a>', "x", [{ type: "text_mention", offset: 0, length: 1, user: ANNA }]],
    ['<a href="tg://user?id=43">x</a>', "x", []],
    ['<pre><code class="language-ts">let</code></pre>', "let", [{ type: "pre", offset: 0, length: 3, language: "ts" }]],
    ['<code class="language-ts">let</code>', "let", [{ type: "code", offset: 0, length: 3 }]],
    ["<blockquote expandable>x</blockquote>", "x", [{ type: "expandable_blockquote", offset: 0, length: 1 }]],
    ['<tg-emoji emoji-id="536">👍</tg-emoji>', "👍", [{ type: "custom_emoji", offset: 0, length: 2, custom_emoji_id: "536" }]],
    [
      '<tg-time unix="1790000000" format="r">x</tg-time>',
      "x",
      [{ type: "date_time", offset: 0, length: 1, unix_time: 1_790_000_000, date_time_format: "r" }],
    ],
    ["&lt;b&gt; &amp;amp; &quot;&nbsp; &#65;&#x42; & x", '<b> &amp; "&nbsp; AB & x', []],
    ["<b></b>x", "x", []],
  ])("%s is read", (html, text, entities) => {
    expect(store(html, { parseMode: "HTML" })).toEqual({ text, entities });
  });

  it("that leaves nothing is refused as empty", () => {
    expect(refusal(() => store("<b></b>", { parseMode: "HTML" }))).toBe("Bad Request: text must be non-empty");
  });
});

describe("MarkdownV2", () => {
  it.each("#+-=|{}.!()>".split("").map((char) => [`x ${char} y`, char]))("%j is refused for the reserved character", (text, char) => {
    expect(refusal(() => store(text, { parseMode: "MarkdownV2" }))).toBe(
      `Bad Request: can't parse entities: Character '${char}' is reserved and must be escaped with the preceding '\\'`,
    );
  });

  it.each<[string, string]>([
    ["*x", "Can't find end of Bold entity at byte offset 0"],
    ["ä _x", "Can't find end of Italic entity at byte offset 3"],
    ["```ts\nx", "Can't find end of PreCode entity at byte offset 0"],
    ["[x](http://y", "Can't find end of a URL at byte offset 4"],
    ["![x]", "Custom emoji entity must contain a tg://emoji URL"],
  ])("%j is refused", (text, reason) => {
    expect(refusal(() => store(text, { parseMode: "MarkdownV2" }))).toBe(`Bad Request: can't parse entities: ${reason}`);
  });

  it.each<[string, string, WireEntity[]]>([
    [
      "*a* _b_ __c__ ~d~ ||e|| `f`",
      "a b c d e f",
      [
        bold(0, 1),
        { type: "italic", offset: 2, length: 1 },
        { type: "underline", offset: 4, length: 1 },
        { type: "strikethrough", offset: 6, length: 1 },
        { type: "spoiler", offset: 8, length: 1 },
        { type: "code", offset: 10, length: 1 },
      ],
    ],
    [
      "_a __b___",
      "a b",
      [
        { type: "italic", offset: 0, length: 3 },
        { type: "underline", offset: 2, length: 1 },
      ],
    ],
    ["1\\. a\\-b \\*", "1. a-b *", []],
    ["[x](https://x.org/a_b\\))", "x", [{ type: "text_link", offset: 0, length: 1, url: "https://x.org/a_b)" }]],
    ["```ts\na.b!\n```", "a.b!", [{ type: "pre", offset: 0, length: 4, language: "ts" }]],
    [">a\n>b\nc", "a\nb\nc", [{ type: "blockquote", offset: 0, length: 3 }]],
    [">a\n>b||", "a\nb", [{ type: "expandable_blockquote", offset: 0, length: 3 }]],
    ["![👍](tg://emoji?id=536)", "👍", [{ type: "custom_emoji", offset: 0, length: 2, custom_emoji_id: "536" }]],
  ])("%j is read", (markdown, text, entities) => {
    expect(store(markdown, { parseMode: "MarkdownV2" })).toEqual({ text, entities });
  });
});

describe("other modes", () => {
  it("an unknown one is refused", () => {
    expect(refusal(() => store("x", { parseMode: "XML" }))).toBe("Bad Request: unsupported parse_mode");
  });

  it("legacy Markdown reads the simple styles and refuses one without an end", () => {
    expect(store("*a* [b](http://x.org/) `c`", { parseMode: "Markdown" })).toEqual({
      text: "a b c",
      entities: [bold(0, 1), { type: "text_link", offset: 2, length: 1, url: "http://x.org/" }, { type: "code", offset: 4, length: 1 }],
    });
    expect(refusal(() => store("a_b", { parseMode: "Markdown" }))).toBe(
      "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 1",
    );
  });
});

describe("detected entities", () => {
  it.each<[string, string[]]>([
    ["/start@emulated_bot now", ["bot_command /start@emulated_bot"]],
    ["see /usr/bin", []],
    ["hi @anna_b, @x", ["mention @anna_b"]],
    ["mail a.b@c.org", ["email a.b@c.org"]],
    ["(https://x.org/a?b=1).", ["url https://x.org/a?b=1"]],
    ["read README.md, not node.js", ["url README.md"]],
    ["#tag #1 $USD", ["hashtag #tag", "cashtag $USD"]],
  ])("of %j", (text, expected) => {
    expect(store(text).entities.map(({ type, offset, length }) => `${type} ${text.slice(offset, offset + length)}`)).toEqual(expected);
  });

  it("never touch code or a given link", () => {
    expect(store("@anna_b", { entities: [{ type: "code", offset: 0, length: 7 }] }).entities).toEqual([
      { type: "code", offset: 0, length: 7 },
    ]);
  });
});
