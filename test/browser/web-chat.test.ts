import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { NO_BROWSER, openBrowser } from "../support/browser.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

if (NO_BROWSER !== undefined) {
  if (process.env.TRUNKLINE_REQUIRE_BROWSER === "1") throw new Error(NO_BROWSER);
  console.warn(`The browser tests are left out: ${NO_BROWSER}.`);
}

/** What the page shows as answers, oldest first. */
function answers(page: Page) {
  return page.locator("#log .message.out");
}

async function say(page: Page, text: string): Promise<void> {
  await page.locator("#text").fill(text);
  await page.keyboard.press("Enter");
}

describe.skipIf(NO_BROWSER !== undefined)("the web chat in a real browser", () => {
  it("signs in by the printed link, streams an answer, and shows tables and code as such", async () => {
    const gateway = await startGatewayProcess(["--data", join(tempFolder(), "data")]);
    const page = await (await openBrowser()).newPage();
    const problems: string[] = [];
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(gateway.address);
    await page.locator("#text").waitFor({ state: "visible" });
    expect(page.url(), "the token leaves the address bar").not.toContain("token");

    await watchLive(page);
    await say(page, "Tell me a long story");
    await expect.poll(() => answers(page).count(), { timeout: 20_000 }).toBe(1);
    const sizes = await liveSizes(page);
    expect(new Set(sizes).size, "the answer grew before it was final").toBeGreaterThan(3);

    await say(page, "Show me a table");
    await expect.poll(() => page.locator("#log table td").count(), { timeout: 20_000 }).toBeGreaterThan(2);
    await say(page, "Show me code");
    await expect.poll(() => page.locator("#log pre code").count(), { timeout: 20_000 }).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  it("loses and doubles nothing when the gateway is killed and started again", async () => {
    const data = join(tempFolder(), "data");
    let gateway = await startGatewayProcess(["--data", data]);
    const port = new URL(gateway.address).port;
    const page = await (await openBrowser()).newPage();
    await page.goto(gateway.address);
    await page.locator("#text").waitFor({ state: "visible" });
    await say(page, "Hello");
    await expect.poll(() => answers(page).count(), { timeout: 20_000 }).toBe(1);

    await watchLive(page);
    await say(page, "Tell me a long story");
    await expect.poll(async () => (await liveSizes(page)).length, { timeout: 20_000 }).toBeGreaterThan(1);
    await gateway.kill();
    await say(page, "Show me a table"); // written while nobody listens
    gateway = await startGatewayProcess(["--data", data, "--port", port]);
    await expect.poll(() => answers(page).count(), { timeout: 30_000 }).toBe(3);
    await expect.poll(() => page.locator("#log table").count()).toBe(1);
    await page.reload();
    await expect.poll(() => answers(page).count(), { timeout: 20_000 }).toBe(3);
    expect(await gateway.stop()).toBe(0);
  });
});

/** Notes in the page each length that the growing answer had. */
async function watchLive(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sizes: number[] = [];
    Object.assign(globalThis, { liveSizes: sizes });
    const live = document.querySelector("#live");
    new MutationObserver(() => {
      const size = live?.textContent?.length ?? 0;
      if (size > 0) sizes.push(size);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

function liveSizes(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => (globalThis as unknown as { liveSizes: number[] }).liveSizes);
}
