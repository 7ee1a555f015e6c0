import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { answers, converse, NO_BROWSER, openChat, openPage, PATIENCE, questions, say } from "./chat-page.ts";

describe.skipIf(NO_BROWSER !== undefined)("the web chat in a real browser", () => {
  it("signs in by the printed link, streams an answer, and shows tables and code as such", async () => {
    const { page, problems } = await openChat();
    expect(page.url(), "the token leaves the address bar").not.toContain("token");
    await watchLive(page);
    await converse(page, "Tell me a long story", 1);
    const sizes = await liveSizes(page);
    expect(new Set(sizes).size, "the answer grew before it was final").toBeGreaterThan(3);

    await say(page, "Show me a table");
    await expect.poll(() => page.locator("#log table td").count(), PATIENCE).toBeGreaterThan(2);
    await say(page, "Show me code");
    await expect.poll(() => page.locator("#log pre code").count(), PATIENCE).toBeGreaterThan(0);
    expect(problems).toEqual([]);
  });

  it("loses and doubles nothing when the gateway is killed and started again", async () => {
    const data = join(tempFolder(), "data");
    let gateway = await startGatewayProcess(["--data", data]);
    const port = new URL(gateway.address).port;
    const { page } = await openPage(await openBrowser(), gateway.address);
    await converse(page, "Hello", 1);

    await watchLive(page);
    await say(page, "Tell me a long story");
    await expect.poll(async () => (await liveSizes(page)).length, PATIENCE).toBeGreaterThan(1);
    await gateway.kill();
    await say(page, "Show me a table"); // written while nobody listens
    gateway = await startGatewayProcess(["--data", data, "--port", port]);
    await expect.poll(() => answers(page).count(), { timeout: 30_000 }).toBe(3);
    await expect.poll(() => page.locator("#log table").count()).toBe(1);
    await page.reload();
    await expect.poll(() => answers(page).count(), PATIENCE).toBe(3);
    expect(await gateway.stop()).toBe(0);
  });

  it("shows one whole answer when the tab is killed and opened again in the middle of it", async () => {
    const { browser, page, gateway } = await openChat();
    await watchLive(page);
    await say(page, "Tell me a long story");
    await expect.poll(async () => (await liveSizes(page)).length, PATIENCE).toBeGreaterThan(1);
    await page.close();
    const again = await openPage(browser, new URL("/", gateway.address).href);
    await expect.poll(() => answers(again.page).count(), PATIENCE).toBe(1);
    await expect.poll(() => again.page.locator("#live").textContent()).toBe("");
    const whole = await answers(again.page).locator(".body").textContent();
    expect(whole?.length).toBeGreaterThan(1000);
    await again.page.reload();
    await expect.poll(() => answers(again.page).locator(".body").allTextContents(), PATIENCE).toEqual([whole]);
    expect(await questions(again.page).count()).toBe(1);
  });

  it("stops a growing answer by the button, and what was visible of it stays, now and after a reload", async () => {
    const { page } = await openChat();
    const stop = page.getByRole("button", { name: "Stop the answer" });
    expect(await stop.isVisible()).toBe(false);
    await watchLive(page);
    await say(page, "Tell me a long story");
    await expect.poll(async () => (await liveSizes(page)).length, PATIENCE).toBeGreaterThan(2);
    const visible = (await page.locator("#live").textContent()) ?? "";
    await stop.click();
    await expect.poll(() => answers(page).last().locator(".body").textContent(), { timeout: 5000 }).toBe("Stopped.");
    await expect.poll(() => stop.isVisible()).toBe(false);
    await expect.poll(() => questions(page).last().isVisible(), { message: "the request to stop is no message of its own" }).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("text");
    const bodies = () => answers(page).locator(".body").allTextContents();
    const [kept = "", ...rest] = await bodies();
    expect(visible.length).toBeGreaterThan(0);
    expect(kept.startsWith(visible.trimEnd().slice(0, -10)), "nothing that was read went away").toBe(true);
    expect(kept, "and it is not the whole answer").not.toContain("the end");
    expect(rest).toEqual(["Stopped."]);
    await page.reload();
    await expect.poll(bodies, PATIENCE).toEqual([kept, "Stopped."]);
    await converse(page, "Hello", 3);
  });

  it("shows two tabs the same, and each message once in each", async () => {
    const { browser, page, gateway } = await openChat();
    const other = await openPage(browser, new URL("/", gateway.address).href);
    await converse(page, "Hello", 1);
    await converse(other.page, "Show me a table", 2);
    for (const tab of [page, other.page]) {
      await expect.poll(() => answers(tab).count(), PATIENCE).toBe(2);
      expect(await questions(tab).locator(".body").allTextContents()).toEqual(["Hello", "Show me a table"]);
    }
  });

  it("copies a message and a block of code", async () => {
    const { browser, page } = await openChat();
    await browser.grantPermissions(["clipboard-read", "clipboard-write"]);
    await converse(page, "Show me code", 1);
    await answers(page).getByRole("button", { name: "Copy", exact: true }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^function greet\(name: string\)/);
    await answers(page).getByRole("button", { name: "Copy message" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^A block of code keeps/);
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
