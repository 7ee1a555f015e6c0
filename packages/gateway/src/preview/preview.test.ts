import type { MessageEntity } from "@trunkline/plugin-sdk";
import { PLAIN_BLOCKS } from "@trunkline/plugin-sdk";
import { plainProfile } from "@trunkline/core";
import { describe, expect, it } from "vitest";
import { discordHtml } from "./discord.ts";
import { entitiesHtml } from "./entities.ts";
import { previewPage } from "./page.ts";
import { slackBlocksHtml } from "./slack-blocks.ts";
import { slackTextHtml } from "./slack-text.ts";
import { whatsappHtml } from "./whatsapp.ts";

const ZW = "\u200b";

describe("the view of Discord", () => {
  it.each([
    ["**b** *i* _i_ ~~s~~ __u__", "<strong>b</strong> <em>i</em> <em>i</em> <s>s</s> <u>u</u>"],
    ["***both***", "<strong><em>both</em></strong>"],
    [String.raw`\*no\* \# \<@1>`, "*no* # &lt;@1&gt;"],
    ["snake_case_name", "snake_case_name"],
    ["`a **b**` ``c ` d``", "<code>a **b**</code> <code>c ` d</code>"],
    ["[l](https://e.example/a)", '<a href="https://e.example/a" rel="noopener noreferrer nofollow">l</a>'],
    ["[https://a.example](https://b.example)", "[https://a.example](https://b.example)"],
    ["<@123> @everyone", '<span class="mention">&lt;@123&gt;</span> <span class="mention">@everyone</span>'],
    ["🚀 **é👨‍👩‍👧**", "🚀 <strong>é👨‍👩‍👧</strong>"],
    ["a ** b", "a ** b"],
  ])("draws %s", (text, html) => {
    expect(discordHtml(text)).toBe(`<div class="text">${html}</div>`);
  });

  it("knows three levels of headings, lists, quotes and code with a language", () => {
    expect(discordHtml("## H")).toBe('<div class="heading h2">H</div>');
    expect(discordHtml("#### H")).toContain("#### H");
    expect(discordHtml("- a\n  - b")).toContain('class="item depth-1"');
    expect(discordHtml("> a\n> b\nc")).toMatch(/^<blockquote>.*a.*b.*<\/blockquote><div class="text">c<\/div>$/s);
    expect(discordHtml("```ts\nlet a;\n```")).toBe(
      '<pre class="code" tabindex="0"><span class="language">ts</span><code>let a;</code></pre>',
    );
  });
});

describe("the view of WhatsApp", () => {
  it.each([
    ["*b* _i_ ~s~ `c`", "<strong>b</strong> <em>i</em> <s>s</s> <code>c</code>"],
    ["_*both*_", "<em><strong>both</strong></em>"],
    ["un*x*able", "un*x*able"],
    ["**x**", "*<strong>x</strong>*"],
    ["a * x *", "a * x *"],
    ["[l](https://e.example)", '[l](<a href="https://e.example" rel="noopener noreferrer nofollow">https://e.example</a>)'],
  ])("draws %s", (text, html) => {
    expect(whatsappHtml(text)).toBe(`<div class="text">${html}</div>`);
  });

  it("takes lists and quotes at the left edge only, and code anywhere", () => {
    expect(whatsappHtml("- a\n1. b\n> c")).toBe(
      '<div class="item"><span class="sign">•</span><span>a</span></div><div class="item"><span class="sign">1.</span><span>b</span></div><blockquote>c</blockquote>',
    );
    expect(whatsappHtml("  - a")).toBe('<div class="text">  - a</div>');
    expect(whatsappHtml("x```a*b*\nc```")).toContain('<pre class="code" tabindex="0"><code>a*b*\nc</code></pre>');
  });
});

describe("the view of Slack's text", () => {
  it.each([
    ["*b* _i_ ~s~ `c`", "<strong>b</strong> <em>i</em> <s>s</s> <code>c</code>"],
    ["un*x*able", "un*x*able"],
    [`un${ZW}*x*${ZW}able`, `un${ZW}<strong>x</strong>${ZW}able`],
    ["**x**", "**x**"],
    ["a &lt; b &amp;amp;", "a &lt; b &amp;amp;"],
    ["<https://e.example|l>", '<a href="https://e.example" rel="noopener noreferrer nofollow">l</a>'],
    ["<!channel> <@U123>", '<span class="mention">!channel</span> <span class="mention">@U123</span>'],
    ["&lt;!channel&gt;", "&lt;!channel&gt;"],
  ])("draws %s", (text, html) => {
    expect(slackTextHtml(text)).toBe(`<div class="text">${html}</div>`);
  });

  it("takes an escaped sign at the start of a line for a quote", () => {
    expect(slackTextHtml("&gt; q\n> r")).toBe("<blockquote>q\nr</blockquote>");
    expect(slackTextHtml(`${ZW}&gt; q`)).toBe(`<div class="text">${ZW}&gt; q</div>`);
  });
});

describe("the view of Slack's blocks", () => {
  it("draws lists with their numbers, tables and quotes, and shows a block that it does not know as it is", () => {
    const text = (value: string) => ({ type: "text", text: value });
    const section = (value: string) => ({ type: "rich_text_section", elements: [text(value)] });
    const html = slackBlocksHtml([
      { type: "rich_text", elements: [{ type: "rich_text_list", style: "ordered", indent: 1, offset: 4, elements: [section("<five>")] }] },
      { type: "divider" },
      { type: "table", rows: [[{ type: "raw_text", text: "1" }]], column_settings: [{ align: "right" }] },
      { type: "odd", text: "<x>" },
    ]);
    expect(html).toContain('<div class="item depth-1"><span class="sign">5.</span><span>&lt;five&gt;</span></div>');
    expect(html).toContain("<hr>");
    expect(html).toContain('<td class="right">1</td>');
    expect(html).toContain("&quot;&lt;x&gt;&quot;");
  });
});

describe("the view of entities", () => {
  it("draws them nested, and blocks without a blank line around them", () => {
    const entities: MessageEntity[] = [
      { type: "bold", offset: 0, length: 8 },
      { type: "italic", offset: 2, length: 3 },
      { type: "pre", offset: 10, length: 4, language: "js" },
    ];
    expect(entitiesHtml("a <b> c\n\n\n1<2!\nz", entities)).toBe(
      '<strong>a <em>&lt;b&gt;</em> c\n</strong>\n<pre class="code" tabindex="0"><span class="language">js</span><code>1&lt;2!</code></pre>z',
    );
  });
});

describe("the page", () => {
  it("holds nothing of a hostile text as markup, whatever the channel", () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>' javascript:alert(1) ${"\u0000"}`;
    const outputs = ["markers", "spans", "blocks"] as const;
    const channels = ["telegram", "discord", "slack", "whatsapp", "plain"].flatMap((id) =>
      outputs.map((output) => ({
        id,
        label: hostile,
        profile: { ...plainProfile, blocks: PLAIN_BLOCKS, output },
        parts: [
          {
            text: hostile,
            plain: hostile,
            length: hostile.length,
            entities: [{ type: "text_link", offset: 0, length: 4, url: "javascript:alert(1)" } as const],
            blocks: [
              { type: hostile },
              { type: "rich_text", elements: [{ type: "x", elements: [{ type: "link", url: 'javascript:"', text: hostile }] }] },
            ],
          },
        ],
      })),
    );
    const page = previewPage(hostile, channels);
    expect(page).not.toMatch(/<(?:script|img)/i);
    expect(page).not.toMatch(/href="(?!https?:)/i);
    expect(page).not.toContain("\u0000");
    expect(page).toContain("default-src 'none'");
  });
});
