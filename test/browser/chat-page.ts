import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { type BrowserOptions, NO_BROWSER, openBrowser } from "../support/browser.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

if (NO_BROWSER !== undefined) {
  if (process.env.TRUNKLINE_REQUIRE_BROWSER === "1") throw new Error(NO_BROWSER);
  console.warn(`The browser tests are left out: ${NO_BROWSER}.`);
}

export { NO_BROWSER } from "../support/browser.ts";

/** What a conversation takes at most to be answered here. Unit: ms. */
export const PATIENCE = { timeout: 20_000 };

export const PHONE: BrowserOptions = { viewport: { width: 360, height: 700 }, hasTouch: true };

/** A signed-in chat in a browser of its own, on a gateway of its own. */
export interface Chat {
  readonly gateway: GatewayProcess & { readonly data: string };
  readonly browser: BrowserContext;
  readonly page: Page;
  /** What the page complained of in its console. */
  readonly problems: readonly string[];
}

/** Starts a gateway with the demo agent and opens its chat by the printed link. */
export async function openChat(options: BrowserOptions = {}): Promise<Chat> {
  const data = join(tempFolder(), "data");
  const gateway = await startGatewayProcess(["--data", data]);
  const browser = await openBrowser(options);
  const { page, problems } = await openPage(browser, gateway.address);
  return { gateway: { ...gateway, data }, browser, page, problems };
}

/** Opens an address in a new tab and waits for the chat. */
export async function openPage(browser: BrowserContext, address: string): Promise<{ page: Page; problems: readonly string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(address);
  await page.locator("#text").waitFor({ state: "visible" });
  return { page, problems };
}

/** What the page shows as answers, oldest first. */
export function answers(page: Page) {
  return page.locator("#log .message.out");
}

/** What the page shows as the person's own messages, oldest first. */
export function questions(page: Page) {
  return page.locator("#log .message.in");
}

export async function say(page: Page, text: string): Promise<void> {
  await page.locator("#text").fill(text);
  await page.keyboard.press("Enter");
}

/** Says something and waits until there are so many answers. */
export async function converse(page: Page, text: string, count: number): Promise<void> {
  await say(page, text);
  await expect.poll(() => answers(page).count(), PATIENCE).toBe(count);
}

/** The titles in the list of conversations, from the top. */
export function titles(page: Page): Promise<string[]> {
  return page.locator("#conversations .open").allTextContents();
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds against WCAG 2.2 A and AA and its own good practice, serious or worse, as readable lines. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical" || impact === "moderate")
      .flatMap(({ id, impact, nodes }) => nodes.map(({ html }) => `${id} (${impact}): ${html.slice(0, 160)}`));
  });
}

/** How much wider the page is than the screen. Unit: px. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const wide = [document.documentElement, document.querySelector("#scroller")!].map((each) => each.scrollWidth - each.clientWidth);
    return Math.max(...wide);
  });
}
