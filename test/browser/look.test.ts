import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { answers, converse, NO_BROWSER, openChat, openPage, overflow, PHONE, seriousFindings } from "./chat-page.ts";

const DESKTOP = { viewport: { width: 1180, height: 800 } };

/** Brings the page into each of its states, one after the other. */
async function* states(page: Page, narrow: boolean): AsyncGenerator<string> {
  yield "the empty chat";
  await converse(page, "Hello", 1);
  await converse(page, "Show me a table", 2);
  await converse(page, "Show me code", 3);
  await answers(page).last().getByRole("button", { name: "More reactions" }).click();
  await answers(page).last().getByRole("button", { name: "Thumbs up" }).click();
  yield "a conversation";
  await page.locator("#picker").setInputFiles([{ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") }]);
  await page.locator('.chip[data-state="done"]').waitFor();
  yield "a file attached";
  if (narrow) {
    await page.locator("#menu").click();
    await page.locator("#panel").waitFor({ state: "visible" });
    yield "the drawer";
  }
  await page.locator("#conversations .open").first().focus();
  await page.keyboard.press("F2");
  yield "a conversation being renamed";
  await page.keyboard.press("Escape");
  await page.keyboard.press("Delete");
  await page.getByRole("dialog").waitFor();
  yield "a question";
  await page.keyboard.press("Escape");
}

describe.skipIf(NO_BROWSER !== undefined)("the look of the web chat", () => {
  describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
    it.each([
      ["desktop", DESKTOP],
      ["phone", PHONE],
    ] as const)("has nothing that axe finds on a %s, in any state, and fits the screen", async (name, screen) => {
      const { page, problems } = await openChat({ ...screen, colorScheme, reducedMotion: "reduce" });
      expect(await page.evaluate(() => document.documentElement.dataset["theme"])).toBe(colorScheme);
      for await (const state of states(page, name === "phone")) {
        expect(await seriousFindings(page), state).toEqual([]);
        expect(await overflow(page), state).toBe(0);
      }
      await page.evaluate(() => fetch("/auth/session", { method: "DELETE" }));
      await page.reload();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(await seriousFindings(page), "signing in").toEqual([]);
      // The browser logs the stream that signing out cut, and the refusal that leads to the sign-in form.
      expect(problems.filter((problem) => !/401|CHUNKED_ENCODING/.test(problem))).toEqual([]);
    });
  });

  it("keeps the colours that were chosen, over a reload and in other tabs", async () => {
    const { browser, page, gateway } = await openChat({ colorScheme: "light" });
    const other = await openPage(browser, new URL("/", gateway.address).href);
    await page.bringToFront();
    const background = (tab: Page) => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background(page);
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    expect(await background(page)).not.toBe(light);
    await expect.poll(() => background(other.page)).not.toBe(light);
    await page.reload();
    expect(await background(page)).not.toBe(light);
    await page.locator("#text").waitFor({ state: "visible" });
    await page.getByRole("radio", { name: "System" }).check({ force: true });
    expect(await background(page)).toBe(light);
  });

  it("is not broken by long words, wide tables or a script that runs from right to left", async () => {
    const { page } = await openChat(PHONE);
    // One after the other: what is said meanwhile would be answered together.
    await converse(page, "x".repeat(3000), 1);
    await converse(page, "مرحبا بالعالم", 2);
    await converse(page, "Show me a table", 3);
    expect(await overflow(page)).toBe(0);
    const directions = await page
      .locator("#log .message.in .body")
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
    expect(directions).toEqual(["ltr", "rtl", "ltr"]);
    const title = "w".repeat(80);
    await page.locator("#menu").click();
    await page.locator("#conversations .open").first().focus();
    await page.keyboard.press("F2");
    await page.keyboard.type(title);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#conversations .open").first().textContent()).toBe(title);
    expect(await overflow(page)).toBe(0);
  });

  it("can be used by keyboard alone, and reads out whole answers only", async () => {
    const { page } = await openChat(DESKTOP);
    await page.evaluate(() => {
      const heard: string[] = [];
      Object.assign(globalThis, { heard });
      new MutationObserver(() => heard.push(document.querySelector("#announce")?.textContent ?? "")).observe(
        document.querySelector("#announce")!,
        {
          childList: true,
          characterData: true,
          subtree: true,
        },
      );
    });
    await page.keyboard.type("Tell me a long story");
    await page.keyboard.press("Enter");
    await expect.poll(() => answers(page).count(), { timeout: 20_000 }).toBe(1);
    const heard = await page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatch(/^Agent: A long answer/);
    // From the field backwards through the last message: its buttons are reached, and react.
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press("Shift+Tab");
      if ((await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) === "Thumbs up") break;
    }
    await page.keyboard.press("Space");
    const pressed = answers(page).getByRole("button", { name: "Thumbs up" });
    await expect.poll(() => pressed.getAttribute("aria-pressed")).toBe("true");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "the focus stays").toBe("Thumbs up");
    await page.reload();
    await expect.poll(() => pressed.getAttribute("aria-pressed"), { timeout: 20_000 }).toBe("true");
  });
});
