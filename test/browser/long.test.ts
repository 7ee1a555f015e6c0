import { conversationKey, type ChannelHost, type ChannelPlugin, type HistoryEntry } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { gatewayFromYaml } from "../support/gateway.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { answers, NO_BROWSER, openPage, PATIENCE, questions } from "./chat-page.ts";

const YAML = `version: 1
gateway: { host: 127.0.0.1, port: 0 }
agents:
  list:
    - { id: guide, model: { primary: demo/guide } }
channels:
  web: { accounts: { main: {} } }
`;

/** The web channel on a store that has these messages in every first conversation, before what is really said. */
function withHistory(channel: ChannelPlugin, count: number, last: Readonly<Record<string, unknown>> = {}): ChannelPlugin {
  if (channel.id !== "web") return channel;
  const start = Date.now() - 86_400_000;
  const past = (host: ChannelHost, id: string): HistoryEntry[] =>
    Array.from({ length: count }, (_, n) => {
      const conversation = { channel: host.channel, account: host.account, kind: "direct" as const, id };
      const text = `<p>Answer number ${n}</p><p>${"Some more words. ".repeat(n % 7)}</p>`;
      const channelData = n === count - 1 ? last : {};
      const part = { id: `ob_${n}`, key: `k${n}`, conversation, text: { text, plain: `Answer ${n}`, length: 10 }, channelData };
      return { direction: "out" as const, id: `k${n}`, key: `k${n}`, at: start + n * 1000, part };
    });
  const connect = (config: Readonly<Record<string, unknown>>, host: ChannelHost) =>
    channel.connect!(config, {
      ...host,
      async history(conversation, { limit, before }) {
        const real = await host.history(conversation, { limit });
        const all = [...past(host, conversation.id), ...real];
        const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before.id);
        return all.slice(Math.max(0, end - limit), end);
      },
      message: async (conversation, id) =>
        past(host, conversation.id).find(
          (entry) => entry.id === id && conversationKey(entry.part!.conversation) === conversationKey(conversation),
        ) ?? host.message(conversation, id),
    });
  return { ...channel, connect };
}

describe.skipIf(NO_BROWSER !== undefined)("a long conversation in a real browser", () => {
  it("of 1,000 messages opens with the newest, reads older ones without moving what is read, and lets the oldest go", async () => {
    const gateway = await gatewayFromYaml(tempFolder(), YAML, { patchChannel: (channel) => withHistory(channel, 1000) });
    const { page, problems } = await openPage(await openBrowser(), gateway.signInUrl ?? "");
    await expect.poll(() => answers(page).count(), PATIENCE).toBe(100);
    expect(await answers(page).last().textContent()).toContain("number 999");

    const scroller = page.locator("#scroller");
    const firstInView = () =>
      scroller.evaluate((element) => {
        const top = element.getBoundingClientRect().top;
        const first = [...element.querySelectorAll<HTMLElement>(".message")].find(
          (each) => each.getBoundingClientRect().bottom > top + 20,
        )!;
        return { id: first.dataset["id"], at: Math.round(first.getBoundingClientRect().top) };
      });
    await scroller.evaluate((element) => (element.scrollTop = 300));
    const before = await firstInView();
    await expect.poll(() => answers(page).count(), PATIENCE).toBeGreaterThan(100);
    const after = await firstInView();
    expect(after.id).toBe(before.id);
    expect(Math.abs(after.at - before.at)).toBeLessThan(3);

    while ((await answers(page).count()) < 1000) {
      const had = await answers(page).count();
      await scroller.evaluate((element) => (element.scrollTop = 100));
      await scroller.evaluate((element) => (element.scrollTop = 0));
      await expect.poll(() => answers(page).count(), PATIENCE).toBeGreaterThan(had);
    }
    expect(await answers(page).first().textContent()).toContain("number 0");
    await expect.poll(() => page.locator("#older").isVisible(), PATIENCE).toBe(false);

    await page.locator("#text").fill("Hello");
    await page.keyboard.press("Enter");
    await expect.poll(() => answers(page).last().textContent(), PATIENCE).toContain("Trunkline");
    expect(await page.locator("#log .message").count(), "back at the end, the page lets the oldest go").toBeLessThanOrEqual(300);
    expect(problems).toEqual([]);
  });

  it("shows buttons that are pressed once, in all tabs and after a reload", async () => {
    const buttons = [
      [
        { text: "Show a table", value: "Show me a table" },
        { text: "No, thanks", value: "no" },
      ],
      [{ text: "Read more", url: "https://example.org/" }],
    ];
    const gateway = await gatewayFromYaml(tempFolder(), YAML, { patchChannel: (channel) => withHistory(channel, 3, { buttons }) });
    const browser = await openBrowser();
    const { page } = await openPage(browser, gateway.signInUrl ?? "");
    const other = await openPage(browser, gateway.url);
    await page.bringToFront();
    const choice = page.getByRole("button", { name: "Show a table" });
    await choice.focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#log table").count(), PATIENCE).toBe(1);
    expect(await questions(page).locator(".body").allTextContents()).toEqual(["Show a table"]);
    for (const tab of [page, other.page]) {
      await expect.poll(() => tab.locator(".choice-button.chosen").textContent(), PATIENCE).toBe("Show a table");
      expect(await tab.locator(".choice-button[aria-disabled]").count()).toBe(2);
    }
    await other.page.getByRole("button", { name: "No, thanks" }).click({ force: true });
    await page.reload();
    await expect.poll(() => page.locator(".choice-button.chosen").textContent(), PATIENCE).toBe("Show a table");
    expect(await questions(page).count()).toBe(1);
    expect(await page.getByRole("link", { name: "Read more" }).getAttribute("rel")).toContain("noopener");
  });
});
