import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRedactor } from "@trunkline/plugin-sdk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runCli } from "../cli/main.ts";
import { filesOf, readSections } from "./fake-files.ts";

const sections = readSections(new URL("broken-configs.txt", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-broken-"));
  vi.stubEnv("BOT_TOKEN", `123456:${"A".repeat(35)}`);
  vi.stubEnv("EMPTY", "");
  vi.stubEnv("WORD", "many");
  // Names that the table takes for unset.
  for (const name of ["NAME", "NOPE", "UNSET", "GUILD", "TELEGRAM_TOKEN"]) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** What a command prints about the configuration in the folder, and the code that it ends with. */
async function cli(...args: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), redactor: createRedactor() };
  const code = await runCli([...args, "--config", folder], io);
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("a gateway with a broken configuration", () => {
  it.each(sections)("does not start, and check says the same: $name", async ({ yaml }) => {
    for (const [name, text] of filesOf(yaml)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    }
    const started = await cli("start", "--port", "0", "--data", join(folder, "data"));
    expect(started).toMatchObject({ code: 1, out: "" });
    expect(started.err).toMatch(/\.yaml:\d+:\d+ {2}/);
    expect(started.err).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
    expect(await cli("check")).toEqual(started);
    // Neither half of it: not even the folder that everything is kept in.
    expect(existsSync(join(folder, "data"))).toBe(false);
  });
});
