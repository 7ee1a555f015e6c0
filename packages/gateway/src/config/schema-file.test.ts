import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { describe, expect, it } from "vitest";
import { formatIssues } from "./issue.ts";
import { loadConfig, type LoadedConfig } from "./load.ts";
import { schemaFileText, writeSchemaFile } from "./schema-file.ts";

const config = (name: string): string => fileURLToPath(new URL(`../../../../config/${name}`, import.meta.url));
const example = readFileSync(config("trunkline.example.yaml"), "utf8");
const channels = [webChannel, telegramChannel];

function loadExample(text: string): LoadedConfig {
  const file = config("trunkline.example.yaml");
  const read = (path: string): Uint8Array => (path === file ? new TextEncoder().encode(text) : readFileSync(path));
  return loadConfig({
    file,
    env: { TELEGRAM_TOKEN: `123456:${"A".repeat(35)}` },
    channels,
    knownProviders: ["demo"],
    files: { read, mode: () => 0o600 },
  });
}

describe("config/trunkline.schema.json", () => {
  it("is what the channels and the schema say now (UPDATE_SCHEMA=1 writes it)", () => {
    if (process.env["UPDATE_SCHEMA"] === "1") writeSchemaFile(config("trunkline.schema.json"), channels);
    expect(
      readFileSync(config("trunkline.schema.json"), "utf8") === schemaFileText(channels),
      "stale: run the test with UPDATE_SCHEMA=1",
    ).toBe(true);
  });

  it("knows every section and each channel's own keys", () => {
    const { properties } = JSON.parse(schemaFileText(channels)) as { properties: Record<string, { properties?: Record<string, unknown> }> };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(["version", "owners", "agents", "channels", "bindings", "logs"]));
    expect(Object.keys(properties["channels"]?.properties ?? {})).toEqual(["web", "telegram"]);
    expect(JSON.stringify(properties["channels"])).toContain("apiRoot");
  });
});

describe("config/trunkline.example.yaml", () => {
  it("names the schema in its first line and loads without a warning", () => {
    expect(example.split("\n", 1)[0]).toBe("# yaml-language-server: $schema=./trunkline.schema.json");
    const loaded = loadExample(example);
    expect(formatIssues([...(loaded.ok ? [] : loaded.issues), ...loaded.warnings])).toBe("");
    expect(loaded.ok && loaded.snapshot.config.agents.list[0]?.instructions.startsWith("You are Aria")).toBe(true);
  });

  it("still loads when its commented parts are switched on", () => {
    const all = example.replace(/^( *)# ( *(?:\w+:|"-?\d+":|- \{).*)$/gm, "$1$2");
    expect(all).not.toContain("# telegram:");
    const loaded = loadExample(all);
    expect(loaded.ok ? "" : formatIssues(loaded.issues)).toBe("");
    expect(loaded.ok && loaded.snapshot.config.channels["telegram"]?.accounts["main"]?.dmPolicy).toBe("pairing");
    expect(loaded.ok && loaded.snapshot.config.bindings.length).toBe(1);
  });
});
