import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { trunkline } from "../support/gateway-process.ts";
import { answers, converse, NO_BROWSER, openChat, openPage, PATIENCE, questions, titles } from "./chat-page.ts";

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

/** A page of somebody else on this machine, which counts as the same site for cookies but is another origin. */
async function otherOrigin(): Promise<string> {
  const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end("<title>evil</title>"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe.skipIf(NO_BROWSER !== undefined)("who gets nothing from the web chat", () => {
  it("a page on another origin, even in the signed-in browser", async () => {
    const { browser, page, gateway } = await openChat();
    await converse(page, "Hello", 1);
    const evil = await browser.newPage();
    await evil.goto(await otherOrigin());
    const base = new URL("/", gateway.address).href;
    const tries = await evil.evaluate(async (at) => {
      const attempt = async (path: string, init: RequestInit): Promise<string> =>
        fetch(at + path, { credentials: "include", ...init }).then(
          async (response) => `read ${response.status} ${await response.text()}`,
          () => "blocked",
        );
      const body = JSON.stringify({ clientId: "00000000-0000-4000-8000-000000000001", text: "evil" });
      const json = { "content-type": "application/json" };
      const results = [
        await attempt("web/messages", { method: "POST", headers: json, body }),
        await attempt("web/messages", { method: "POST", body, headers: { "content-type": "text/plain" } }),
        await attempt("web/uploads?name=x", { method: "POST", body: "x", headers: { "content-type": "text/plain" } }),
        await attempt("auth/rotate", { method: "POST", body: '{"roles":["admin"]}', headers: { "content-type": "text/plain" } }),
        await attempt("auth/session", { method: "DELETE" }),
        await attempt("web/history?before=9999999999999:x", {}),
        await attempt("web/conversations", {}),
      ];
      // Sent without being read, as forms and pictures are.
      const blind = (path: string, content: string) =>
        fetch(at + path, { method: "POST", mode: "no-cors", credentials: "include", body: content }).catch(() => undefined);
      await blind("web/messages", body);
      await blind("auth/rotate", '{"roles":["admin"]}');
      const stream = new EventSource(`${at}web/events?client=evil`, { withCredentials: true });
      results.push(
        await new Promise<string>((resolve) => {
          stream.addEventListener("open", () => resolve("stream open"));
          stream.addEventListener("error", () => resolve("blocked"));
        }),
      );
      const frame = document.createElement("iframe");
      frame.src = at;
      const loaded = new Promise((resolve) => void frame.addEventListener("load", resolve));
      document.body.append(frame);
      await loaded;
      return results;
    }, base);
    expect(tries).toEqual(Array.from({ length: 8 }, () => "blocked"));
    const frames = evil.frames().slice(1);
    for (const frame of frames)
      expect(
        await frame
          .locator("#text")
          .count()
          .catch(() => 0),
        "the chat is not framed",
      ).toBe(0);
    await page.reload();
    await expect.poll(() => questions(page).locator(".body").allTextContents(), PATIENCE).toEqual(["Hello"]);
  });

  it("a name that an attacker points at this machine", async () => {
    const { gateway } = await openChat();
    const rebound = new URL(gateway.address);
    rebound.hostname = "evil.example";
    const page = await (await openBrowser({ namesOfThisMachine: "evil.example" })).newPage();
    const response = await page.goto(rebound.href);
    expect(response?.status()).toBe(421);
    expect(await page.content()).not.toContain("Trunkline</title>");
    for (const path of ["/app.js", "/healthz", "/web/conversations"])
      expect(await page.evaluate(async (at) => (await fetch(at)).status, path)).toBe(421);
  });

  it("a browser without a token, and one with a wrong one", async () => {
    const { gateway } = await openChat();
    const page = await (await openBrowser()).newPage();
    await page.goto(new URL("/", gateway.address).href);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.locator("#panel").isVisible()).toBe(false);
    for (const path of ["/web/events?client=x", "/web/conversations", "/web/marks", "/web/media/k/0", "/web/history?before=1:x"])
      expect(
        await page.evaluate(
          async (at) => (await fetch(at, { headers: at.includes("events") ? { accept: "text/event-stream" } : {} })).status,
          path,
        ),
      ).toBe(401);
    await page.getByLabel("Link or token").fill("not-the-token-at-all");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("alert").first().textContent()).not.toBe("");
    await page.getByLabel("Link or token").fill(gateway.address);
    await page.keyboard.press("Enter");
    await page.locator("#text").waitFor({ state: "visible" });
  });

  it("a browser that signed out, in all its tabs; the owner's others when the owner says so", async () => {
    const { browser, page, gateway } = await openChat();
    const phone = await openPage(await openBrowser(), gateway.address);
    const tab = await openPage(browser, new URL("/", gateway.address).href);
    await page.bringToFront();
    await page.getByRole("button", { name: "Sign out everywhere else" }).click();
    await page.getByRole("button", { name: "Sign out others" }).click();
    await phone.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await converse(page, "Still here", 1);
    await expect.poll(() => answers(tab.page).count(), PATIENCE).toBe(1);

    await signOut(page);
    for (const each of [page, tab.page]) await each.getByRole("heading", { name: "Sign in" }).waitFor();
    await phone.page.getByLabel("Link or token").fill(gateway.address);
    await phone.page.keyboard.press("Enter");
    await expect.poll(() => phone.page.locator("#problem").textContent(), { message: "the old link is worth nothing" }).not.toBe("");
  });

  it("who signs in at a browser after somebody else, in another role or when that one had itself forgotten", async () => {
    const { browser, page, gateway } = await openChat();
    await converse(page, "The owner's words", 1);
    await page.locator("#text").fill("a draft of the owner's");
    await signOut(page);
    expect(await page.content(), "nothing is left in the page").not.toContain("The owner's words");

    const links = JSON.parse((await trunkline(["web", "link", "--json", "--data", gateway.data])).out) as { admin: string; chat: string };
    const said = (tab: Page) => questions(tab).locator(".body").allTextContents();
    const guest = await openPage(browser, links.chat);
    expect([await said(guest.page), await titles(guest.page), await guest.page.locator("#text").inputValue()]).toEqual([
      [],
      ["New conversation"],
      "",
    ]);
    await converse(guest.page, "The guest's words", 1);
    await guest.page.getByRole("button", { name: "Sign out", exact: true }).click();
    const box = guest.page.getByRole("checkbox", { name: /Forget my conversations/ });
    expect(await box.isChecked(), "the chat link may be several persons'").toBe(true);
    await guest.page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await guest.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await guest.page.close();

    const next = await openPage(browser, links.chat);
    await expect.poll(() => next.page.locator("#welcome").isVisible(), PATIENCE).toBe(true);
    expect(await said(next.page)).toEqual([]);
    await signOut(next.page);

    const owner = await openPage(browser, links.admin);
    await expect
      .poll(() => said(owner.page), { ...PATIENCE, message: "the owner comes back to what was said" })
      .toEqual(["The owner's words"]);
  });
});
