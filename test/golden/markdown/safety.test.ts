import { describe, expect, it } from "vitest";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { CHANNELS, PROFILES } from "./channels.ts";
import { readDiscord } from "./discord-reader.ts";

const textOn = (channel: string, markdown: string): string =>
  renderParts(markdown, PROFILES[channel]!)
    .map((part) => part.text + JSON.stringify(part.entities ?? []) + JSON.stringify(part.blocks ?? []))
    .join("\n");

const TOKENS = [
  "<@123456789012345678>",
  "<@!123456789012345678>",
  "<@&123456789012345678>",
  "<#123456789012345678>",
  "<:party:123456789012345678>",
  "<a:party:123456789012345678>",
  "</deploy:123456789012345678>",
  "<t:1700000000:R>",
  "<id:customize>",
];

describe("a model's text pings nobody", () => {
  it.each(TOKENS)("on Discord, however %s is written", (token) => {
    const inside = token.slice(1);
    const ways = [
      token,
      `**${token}**`,
      `# ${token}`,
      `- ${token}`,
      `> ${token}`,
      `\\${token}`,
      `&lt;${inside}`,
      `[${token}](https://example.com)`,
      `| a | b |\n|---|---|\n| ${token} | x |`,
      `*x*${token}`,
      `\\\\${token}`,
      `<${token}`,
    ];
    for (const way of ways) {
      const [part] = renderParts(way, PROFILES["discord"]!, { tableMode: "bullets" });
      expect(readDiscord(part?.text ?? "").tokens, way).toEqual([]);
      expect(part?.plain, way).toContain(inside.slice(0, -1));
    }
  });

  it("on Telegram, by no link to a person", () => {
    for (const target of ["tg://user?id=42", "TG://user?id=42", "tg:user?id=42", "&#116;g://user?id=42"])
      for (const channel of ["telegram", "telegram html"]) expect(textOn(channel, `[Ann](${target})`)).not.toMatch(/user\?id|url|href/i);
  });
});

describe("targets", () => {
  const REFUSED = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java&#115;cript:alert(1)",
    "java%0ascript:alert(1)",
    "data:text/html;base64,PHNjcmlwdD4=",
    "file:///etc/passwd",
    "vbscript:msgbox(1)",
    "tg://resolve?domain=x",
  ];

  it.each(CHANNELS)("of schemes that do something are no targets on %s: the label stands alone", (channel) => {
    for (const target of REFUSED) {
      const shown = textOn(channel, `see [the label](${target}) now`);
      expect(shown, target).toContain("the label");
      expect(shown, target).not.toMatch(/alert|base64|passwd|msgbox|resolve/);
    }
  });

  it.each(CHANNELS)("of another place than the label says are shown on %s", (channel) => {
    const DECEPTIVE = ["https://bank.example", "bank.example", "www.bank.example/login", "http://bank.example"];
    for (const label of DECEPTIVE) {
      const shown = textOn(channel, `[${label}](https://evil.example/x)`);
      expect(shown, label).toContain(label.replace("https://", "//").split("//").at(-1));
      expect(shown.replace(/href="[^"]*"|"url":"[^"]*"/g, ""), label).toContain("evil.example/x");
    }
  });

  it("are never masked by a label on Discord that its clients would take for something else", () => {
    for (const label of ["see https://example.com now", "a \\] b", "a\\*b", "\\[x", "2\\*3"]) {
      const [part] = renderParts(`[${label}](https://example.com/there)`, PROFILES["discord"]!);
      expect(part?.text, label).toContain("(https://example.com/there)");
      expect(part?.text, label).not.toContain("](https://example.com/there)");
    }
  });

  it("cannot end a masked link early", () => {
    const [part] = renderParts("[x](https://example.com/a\\)b_(c)) and [y](<https://example.com/d e>)", PROFILES["discord"]!);
    expect(readDiscord(part?.text ?? "")).toMatchObject({
      visible: "x and y",
      links: ["https://example.com/a%29b_%28c%29", "https://example.com/d%20e"],
    });
  });
});

describe("characters that reorder text", () => {
  it.each(CHANNELS)("are gone on %s, wherever they stand", (channel) => {
    const bidi = "\u202e\u202d\u2066\u2067\u2068\u2069\u202a\u202b\u202c";
    const markdown = `a${bidi}b **${bidi}c** \`d${bidi}\` [e${bidi}](https://example.com/${bidi}f)\n\n\`\`\`js${bidi}\ng${bidi}\n\`\`\`\n\n| h${bidi} | i |\n|---|---|\n| j | k |\n\n&#x202e;l`;
    expect(textOn(channel, markdown)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});
