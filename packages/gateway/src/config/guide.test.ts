import { readFileSync } from "node:fs";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { describe, expect, it } from "vitest";
import { formatIssues } from "./issue.ts";
import { loadConfig } from "./load.ts";

const guide = readFileSync(new URL("../../../../docs/guides/configuration.md", import.meta.url), "utf8");
const snippets = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = ""]) => yaml);

function printed(yaml: string): string {
  const files = {
    read: (path: string): Uint8Array => new TextEncoder().encode(path.endsWith(".yaml") ? yaml : "You are Aria."),
    mode: (): number => 0o600,
  };
  const token = (bot: number): string => `${bot}:${"A".repeat(35)}`;
  const env = { TELEGRAM_TOKEN: token(123456), WORK_TOKEN: token(234567), HOME_TOKEN: token(345678) };
  const loaded = loadConfig({ file: "trunkline.yaml", env, channels: [webChannel, telegramChannel], knownProviders: ["demo"], files });
  return formatIssues([...(loaded.ok ? [] : loaded.issues), ...loaded.warnings]);
}

describe("docs/guides/configuration.md", () => {
  it("has configurations to copy", () => {
    expect(snippets.length).toBeGreaterThanOrEqual(3);
  });

  it.each(snippets)("this one loads without a word: %#", (yaml) => {
    expect(printed(yaml)).toBe("");
  });

  it("quotes a message as it is printed", () => {
    const telegram = snippets.find((yaml) => yaml.includes("dmPolicy")) ?? "";
    const [, path] =
      /^trunkline\.yaml:\d+:\d+ {2}(.*\n.*)$/m.exec(printed(telegram.replace("dmPolicy: allowlist", "dmPolicy: parring"))) ?? [];
    expect(path).toBeDefined();
    expect(guide).toContain(path);
  });
});
