import { describe, expect, it } from "vitest";
import { answers, converse, NO_BROWSER, openChat, openPage, PATIENCE, PHONE, questions, say, titles } from "./chat-page.ts";

describe.skipIf(NO_BROWSER !== undefined)("several conversations in a real browser", () => {
  it("are begun, switched, and each is its own memory; a reload and the back button stay where they belong", async () => {
    const { page, problems } = await openChat();
    await converse(page, "Hello", 1);
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await expect.poll(() => answers(page).count()).toBe(0);
    await converse(page, "Hello again", 1);
    // The demo counts the messages of a session: the second conversation begins at the first.
    expect(await answers(page).textContent()).toContain("1st message");
    expect(await titles(page)).toEqual(["Hello again", "Hello"]);
    await page.reload();
    await expect.poll(() => questions(page).locator(".body").allTextContents(), PATIENCE).toEqual(["Hello again"]);
    await page.getByRole("button", { name: "Hello", exact: true }).click();
    await expect.poll(() => questions(page).locator(".body").allTextContents()).toEqual(["Hello"]);
    await page.goBack();
    await expect.poll(() => questions(page).locator(".body").allTextContents()).toEqual(["Hello again"]);
    expect(problems).toEqual([]);
  });

  it("are kept apart while both are answered, and the one that is not open says that something came", async () => {
    const { page } = await openChat();
    await say(page, "Tell me a long story");
    await page.getByRole("button", { name: "New conversation" }).first().click();
    await converse(page, "Hello", 1);
    await expect.poll(() => page.locator("#conversations .unread").count(), PATIENCE).toBe(1);
    expect(await answers(page).count()).toBe(1);
    await page.locator("#conversations .open").nth(1).click();
    await expect.poll(() => answers(page).count(), PATIENCE).toBe(1);
    expect(await page.locator("#conversations .unread").count()).toBe(0);
    expect(await questions(page).locator(".body").allTextContents()).toEqual(["Tell me a long story"]);
  });

  it("are gone through, renamed and deleted by keyboard alone, in all tabs", async () => {
    const { browser, page, gateway } = await openChat();
    await converse(page, "First talk", 1);
    await page.locator("#new").focus();
    await page.keyboard.press("Enter");
    await converse(page, "Second talk", 1);
    const other = await openPage(browser, new URL("/", gateway.address).href);
    await expect.poll(() => titles(other.page)).toEqual(["Second talk", "First talk"]);

    await page.bringToFront();
    await page.locator("#new").focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Second talk");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("F2");
    await page.keyboard.type("My first");
    await page.keyboard.press("Enter");
    await expect.poll(() => titles(other.page)).toEqual(["Second talk", "My first"]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("My first");

    await page.keyboard.press("Delete");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    expect(await titles(page)).toHaveLength(2);
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => titles(other.page)).toEqual(["Second talk"]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Second talk");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await expect.poll(() => questions(page).locator(".body").allTextContents()).toEqual(["Second talk"]);
  });

  it("are in a drawer on a phone: it opens by its button, keeps the focus, and Esc gives it back", async () => {
    const { page } = await openChat(PHONE);
    await converse(page, "Hello", 1);
    const panel = page.locator("#panel");
    expect(await panel.isVisible()).toBe(false);
    const menu = page.getByRole("button", { name: "Conversations" });
    await menu.click();
    await expect.poll(() => panel.isVisible()).toBe(true);
    expect(await menu.getAttribute("aria-expanded")).toBe("true");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Hello");
    for (let n = 0; n < 12; n += 1) {
      await page.keyboard.press("Tab");
      const where = await page.evaluate(
        () => document.activeElement === document.body || document.activeElement?.closest("#panel") !== null,
      );
      expect(where, "the chat behind the drawer takes no focus").toBe(true);
    }
    await page.keyboard.press("Escape");
    await expect.poll(() => panel.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("menu");
    await menu.click();
    await page.locator("#new").click();
    await expect.poll(() => panel.isVisible()).toBe(false);
    expect(await answers(page).count()).toBe(0);
  });
});
