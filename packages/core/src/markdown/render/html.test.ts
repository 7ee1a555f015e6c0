import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../parse/parser.ts";
import { renderHtml } from "./html.ts";

function html(markdown: string): string {
  return renderHtml(parseMarkdown(markdown, { tables: true, linkify: true }));
}

const LINK = 'target="_blank" rel="noopener nofollow noreferrer"';

describe("renderHtml", () => {
  it("opens a style once, however often it is opened within itself", () => {
    const depth = 20_000;
    const rendered = html(`${"*".repeat(2 * depth)}z${"*".repeat(2 * depth)} **a _b **c** d_ e**`);
    expect(rendered.match(/<strong>/g)).toHaveLength(2);
    expect(rendered.match(/<\/strong>/g)).toHaveLength(2);
    expect(rendered).toContain("<strong>z</strong>");
  });

  it("shows blocks with their own direction", () => {
    expect(html("# T\n\np\nq\n\n> q")).toBe(
      '<h1 dir="auto">T</h1><p dir="auto">p<br>q</p><blockquote dir="auto"><p dir="auto">q</p></blockquote>',
    );
  });

  it("shows lists with numbers and task boxes", () => {
    expect(html("3. a\n4. b")).toBe('<ol dir="auto" start="3"><li dir="auto">a</li><li dir="auto">b</li></ol>');
    expect(html("- [x] done\n- [ ] open")).toBe(
      '<ul dir="auto"><li class="task" dir="auto"><input type="checkbox" disabled checked> done</li><li class="task" dir="auto"><input type="checkbox" disabled> open</li></ul>',
    );
  });

  it("shows tables as tables", () => {
    expect(html("| A | B |\n|---|--:|\n| 1 | **2** |")).toBe(
      '<table dir="auto"><thead><tr><th>A</th><th align="right">B</th></tr></thead><tbody><tr><td>1</td><td align="right"><strong>2</strong></td></tr></tbody></table>',
    );
  });

  it("shows code with its language, escaped once", () => {
    expect(html('```ts\nif (a < b && "c") {}\n```')).toBe(
      '<pre dir="auto"><code class="language-ts">if (a &lt; b &amp;&amp; &quot;c&quot;) {}</code></pre>',
    );
    expect(html("`a < b && c`")).toBe('<p dir="auto"><code>a &lt; b &amp;&amp; c</code></p>');
    expect(html('```"><script>\nx\n```')).toBe('<pre dir="auto"><code>x</code></pre>');
  });

  it("shows spoilers, strikes, math and footnotes", () => {
    expect(html("||a|| ~~b~~ $x$[^1]\n\n[^1]: n")).toBe(
      '<p dir="auto"><span class="spoiler">a</span> <s>b</s> <code>x</code><sup>[1]</sup></p><p class="footnote" dir="auto">[1] n</p>',
    );
  });

  it("links to web and mail only, never loads a picture, and prints what it does not link", () => {
    expect(html("[a](https://e.example/?x=1&y=2)")).toBe(`<p dir="auto"><a href="https://e.example/?x=1&amp;y=2" ${LINK}>a</a></p>`);
    expect(html("[m](mailto:a@e.example)")).toContain('href="mailto:a@e.example"');
    expect(html("![cat](https://e.example/c.png)")).toBe(`<p dir="auto"><a href="https://e.example/c.png" ${LINK}>cat</a></p>`);
    expect(html("[guide](/docs) [call](tel:+1)")).toBe('<p dir="auto">guide (/docs) call (+1)</p>');
    expect(html("[](https://e.example)")).toContain(">https://e.example</a>");
  });

  it("shows both addresses when a label names another site", () => {
    expect(html("[https://bank.example](https://evil.example)")).toBe(
      `<p dir="auto">https://bank.example (<a href="https://evil.example" ${LINK}>https://evil.example</a>)</p>`,
    );
  });

  const ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#09;script:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox(1))",
    "[x](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "![x](javascript:alert(1))",
    '![x" onerror="alert(1)](https://e.example/x.png)',
    '[x](https://e.example/"onmouseover="alert(1))',
    '[x](https://e.example "t\\" onclick=\\"alert(1)")',
    "[x](https://e.example/'onclick='alert(1))",
    '```"onload="alert(1)\nx\n```',
    "`</code><script>alert(1)</script>`",
    "```\n</code></pre><script>alert(1)</script>\n```",
    "| <img src=x onerror=alert(1)> |\n|---|\n| <script>alert(1)</script> |",
    "[<img src=x onerror=alert(1)>](https://e.example)",
    "[a]\n\n[a]: javascript:alert(1)",
    "^[<script>alert(1)</script>]",
    "[^1]\n\n[^1]: <script>alert(1)</script>",
    "$<script>alert(1)</script>$ $$<b onclick=x>$$",
    "||<script>alert(1)</script>||",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "<a href='javascript:alert(1)'>x</a> <iframe srcdoc='x'></iframe> <style>*{}</style>",
    "https://e.example/<script>alert(1)</script>",
    '<https://e.example/"onclick=alert(1)>',
  ];

  it.each(ATTACKS)("is safe against %s", (markdown) => {
    const out = html(markdown);
    const tags = out.match(/<[^>]*>/g) ?? [];
    for (const tag of tags) {
      expect(tag).toMatch(/^<\/?(?:p|a|code|pre|table|thead|tbody|tr|th|td|span|sup|br)(?: (?:dir|href|target|rel|class)="[^"<>]*")*>$/);
      expect(tag).not.toMatch(/href="(?!https?:|mailto:)/);
    }
    expect(out.replace(/<[^>]*>/g, "")).not.toMatch(/[<>]/);
  });
});
