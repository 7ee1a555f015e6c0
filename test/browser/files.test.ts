import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openBrowser } from "../support/browser.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { answers, NO_BROWSER, openChat, openPage, PATIENCE, questions } from "./chat-page.ts";

/** The smallest PNG: one pixel. */
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

function chips(page: Page, state: string) {
  return page.locator(`.chip[data-state="${state}"]`);
}

/** Gives files to the page as a paste or a drop does. */
async function handOver(page: Page, kind: "paste" | "drop", name: string): Promise<void> {
  await page.evaluate(
    ({ kind: how, name: fileName, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(bytes)], fileName, { type: "image/png" }));
      const target = document.querySelector("#text")!;
      const more = { bubbles: true, cancelable: true };
      if (how === "paste") target.dispatchEvent(new ClipboardEvent("paste", { ...more, clipboardData: transfer }));
      else
        for (const type of ["dragenter", "dragover", "drop"])
          target.dispatchEvent(new DragEvent(type, { ...more, dataTransfer: transfer }));
    },
    { kind, name, bytes: [...PNG] },
  );
}

describe.skipIf(NO_BROWSER !== undefined)("files in a real browser", () => {
  it("are chosen, pasted and dropped, reach the agent, and are still there after a reload, for their visitor alone", async () => {
    const { page, problems, gateway } = await openChat();
    await page.locator("#picker").setInputFiles([{ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") }]);
    await handOver(page, "paste", "pasted.png");
    await handOver(page, "drop", "dropped.png");
    await expect.poll(() => chips(page, "done").count(), PATIENCE).toBe(3);
    await expect
      .poll(() => page.locator("img.chip-thumb").evaluateAll((all) => all.map((each) => (each as HTMLImageElement).naturalWidth)))
      .toEqual([1, 1]);
    await page.locator("#text").fill("What are these?");
    await page.keyboard.press("Enter");
    await expect.poll(() => answers(page).count(), PATIENCE).toBe(1);
    expect(await answers(page).textContent()).toContain("notes.txt");
    expect(await answers(page).textContent()).toContain("image/png");
    expect(await page.locator(".chip").count()).toBe(0);

    await page.reload();
    const pictures = questions(page).locator(".picture img");
    await expect
      .poll(() => pictures.evaluateAll((all) => all.map((each) => (each as HTMLImageElement).naturalWidth)), PATIENCE)
      .toEqual([1, 1]);
    const link = questions(page).locator("a.file");
    expect(await link.textContent()).toContain("notes.txt");
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    expect(download.suggestedFilename()).toBe("notes.txt");
    expect(problems).toEqual([]);

    const url = new URL((await link.getAttribute("href")) ?? "", gateway.address).href;
    const stranger = await openPage(await openBrowser(), gateway.address);
    expect(await stranger.page.evaluate(async (at) => (await fetch(at)).status, url)).toBe(404);
  });

  it("that are too large are refused before they travel, and can be taken away", async () => {
    const { page } = await openChat();
    const file = join(tempFolder(), "huge.bin");
    writeFileSync(file, Buffer.alloc(20 * 1024 * 1024 + 1));
    await page.locator("#picker").setInputFiles(file);
    await expect.poll(() => chips(page, "failed").textContent(), PATIENCE).toContain("at most 20 MB");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Remove huge.bin" }).click();
    await page.locator("#text").fill("Hello");
    await page.keyboard.press("Enter");
    await expect.poll(() => answers(page).count(), PATIENCE).toBe(1);
  });

  it("of 20 MB pass, and show how far they are", async () => {
    const { page } = await openChat();
    const file = join(tempFolder(), "big.bin");
    writeFileSync(file, Buffer.alloc(20 * 1024 * 1024, 7));
    await page.evaluate(() => {
      const seen: number[] = [];
      Object.assign(globalThis, { seen });
      const observer = new MutationObserver(() =>
        document.querySelectorAll<HTMLProgressElement>(".chip-bar").forEach((bar) => seen.push(bar.value)),
      );
      observer.observe(document.querySelector("#chips")!, { subtree: true, childList: true, attributes: true, characterData: true });
    });
    await page.locator("#picker").setInputFiles(file);
    await expect.poll(() => chips(page, "done").count(), PATIENCE).toBe(1);
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
    expect(Math.max(...seen)).toBe(1);
    expect(await page.locator("#announce").textContent()).toContain("big.bin is attached");
  });
});
