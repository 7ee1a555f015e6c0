import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { NO_BROWSER, openBrowser, type BrowserOptions } from "../support/browser.ts";
import { trunkline } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { seriousFindings } from "./chat-page.ts";

const EVERYTHING = `# Title

**bold** *it* ~~no~~ \`code\` [link](https://example.com/x) ||hidden|| <script>alert(1)</script> ![x](https://example.com/track.png)

- one
  1. two
- [x] done

> quote

| A | B |
|---|--:|
| ${"wide ".repeat(12)} | 2 |

\`\`\`js
${"x".repeat(300)}
\`\`\`

`;

async function openPreview(markdown: string, options: BrowserOptions = {}) {
  const folder = tempFolder();
  const file = join(folder, "answer.md");
  writeFileSync(file, markdown);
  const { code, out } = await trunkline(["preview", file]);
  expect(code).toBe(0);
  expect(out.trim()).toBe(`${file}.preview.html`);
  const browser = await openBrowser(options);
  const page = await browser.newPage();
  const asked: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  const url = pathToFileURL(out.trim()).href;
  await page.goto(url);
  return { page, asked, problems, url, file, folder };
}

describe.skipIf(NO_BROWSER !== undefined)("the preview page", () => {
  it("shows every channel in its own way, runs nothing and asks nobody", async () => {
    const { page, asked, problems, url } = await openPreview(EVERYTHING);
    const names = await page.locator("section h2").allTextContents();
    expect(names.sort()).toEqual(["Discord", "Plain text", "Slack", "Telegram", "Web chat", "WhatsApp"]);
    for (const name of names.filter((name) => name !== "Plain text")) {
      const section = page.getByRole("region", { name });
      expect(await section.locator("strong", { hasText: /^bold$/ }).count(), name).toBeGreaterThan(0);
      expect(await section.getByText("alert(1)").count(), name).toBeGreaterThan(0);
      expect(await section.locator("pre, code").count(), name).toBeGreaterThan(0);
    }
    expect(await page.locator("section.slack td").count()).toBe(4);
    expect(await page.locator("script, img, iframe").count()).toBe(0);
    expect(asked).toEqual([url]);
    expect(problems).toEqual([]);
  });

  it("marks each cut, and tells how long every message is and may be", async () => {
    const { page } = await openPreview("word ".repeat(1500));
    const discord = page.getByRole("region", { name: "Discord" });
    expect(await discord.locator(".cut").allTextContents()).toEqual(["cut, message 2 of 4", "cut, message 3 of 4", "cut, message 4 of 4"]);
    expect(await discord.locator(".length").first().textContent()).toMatch(/1,99\d of 2,000$/);
    expect(await page.getByRole("region", { name: "Web chat" }).locator(".cut").count()).toBe(0);
  });

  it.each([
    ["light", 1300],
    ["dark", 1300],
    ["light", 375],
    ["dark", 375],
  ] as const)("is readable in %s at a width of %i", async (colorScheme, width) => {
    const { page } = await openPreview(EVERYTHING, { colorScheme, viewport: { width, height: 800 } });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it("changes its colours when told so", async () => {
    const { page } = await openPreview("hi", { colorScheme: "light" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByLabel("dark").check();
    expect(await background()).not.toBe(light);
    await page.getByLabel("light").check();
    expect(await background()).toBe(light);
  });
});
