import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { describe, expect, it } from "vitest";
import { registerChannels } from "../../packages/gateway/src/channels.ts";
import { formatIssues } from "../../packages/gateway/src/config/issue.ts";
import { loadConfig } from "../../packages/gateway/src/config/load.ts";
import { ROOT } from "../arch/source-files.ts";
import { fencesOf, userPages } from "./pages.ts";

/** Where the pages tell people to put it, so that `./agents/aria.md` is the file that comes with the repository. */
const FILE = join(ROOT, "config", "trunkline.yaml");

/** Passes as a bot token and as any other secret; another one for each variable, since two accounts with one token are refused. */
function fakeSecret(index: number): string {
  return `${123456789 + index}:${"A".repeat(35)}`;
}

const configurations = userPages().flatMap((page) =>
  fencesOf(page)
    .filter(({ language, text }) => language === "yaml" && /^version:/m.test(text))
    .map(({ text }, index) => ({ page: page.path, number: index + 1, yaml: text })),
);

const channels = await registerChannels(createContainer());

/** What `trunkline check` prints about a configuration; empty when there is nothing to say. */
function check(yaml: string): string {
  const names = [...yaml.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name = ""]) => name);
  const read = (path: string): Uint8Array => (path === FILE ? new TextEncoder().encode(yaml) : readFileSync(path));
  const env = Object.fromEntries(names.map((name, index) => [name, fakeSecret(index)]));
  const loaded = loadConfig({ file: FILE, env, channels, knownProviders: ["demo"], files: { read, mode: () => 0o600 } });
  return formatIssues([...(loaded.ok ? [] : loaded.issues), ...loaded.warnings]);
}

describe("configurations to copy", () => {
  it("are in the README and in each guide", () => {
    expect(new Set(configurations.map(({ page }) => page))).toEqual(new Set(userPages().map(({ path }) => path)));
  });

  it.each(configurations)("$page, number $number: `trunkline check` has nothing to say", ({ yaml }) => {
    expect(check(yaml)).toBe("");
  });

  it("would be found out", () => {
    expect(check("version: 1\nagnets: {}\n")).toContain("agnets");
  });
});
