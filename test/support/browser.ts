import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { onTestFinished } from "vitest";

/** Where Debian's package and CHROMIUM_PATH put the browser. */
const BROWSER = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find((path) => path !== undefined && existsSync(path));

/** Why browser tests cannot run here; undefined when they can. In CI they must. */
export const NO_BROWSER: string | undefined =
  BROWSER === undefined ? "no Chromium here: install Debian's package chromium or set CHROMIUM_PATH" : undefined;

/** A fresh Chromium that talks to nobody but the pages that it opens. */
export async function openBrowser(): Promise<BrowserContext> {
  if (BROWSER === undefined) throw new Error(NO_BROWSER);
  const profile = mkdtempSync(join(tmpdir(), "trunkline-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  onTestFinished(async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  });
  return context;
}
