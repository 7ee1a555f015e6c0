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

/** What a person's browser is like, where that matters. */
export interface BrowserOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: "light" | "dark";
  readonly hasTouch?: boolean;
  readonly reducedMotion?: "reduce";
  /** Names that lead to this machine, as an attacker's DNS would have it. */
  readonly namesOfThisMachine?: string;
}

/** A fresh Chromium that talks to nobody but the pages that it opens. */
export async function openBrowser({ namesOfThisMachine, ...options }: BrowserOptions = {}): Promise<BrowserContext> {
  if (BROWSER === undefined) throw new Error(NO_BROWSER);
  const profile = mkdtempSync(join(tmpdir(), "trunkline-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: BROWSER,
    headless: true,
    ...options,
    args: [
      ...(namesOfThisMachine === undefined ? [] : [`--host-resolver-rules=MAP ${namesOfThisMachine} 127.0.0.1`]),
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
