import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRedactor, silentLogger } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { registerChannels } from "../channels.ts";
import { startGateway } from "../gateway.ts";
import { BUILT_IN_PROVIDERS } from "./builtin.ts";
import { formatIssues } from "./issue.ts";
import { loadConfig, type LoadConfigOptions } from "./load.ts";
import { setConfigValue } from "./save.ts";

const FOLDER = fileURLToPath(new URL("../../../../config/profiles/", import.meta.url));
const profiles = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));

/** A profile as a person takes it: copied into a folder of its own. */
function copyOf(profile: string): string {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-profile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(join(FOLDER, profile), join(folder, "trunkline.yaml"));
  return folder;
}

describe("config/profiles", () => {
  it("has one for each way to begin", () => {
    expect(profiles).toEqual([
      "local-ollama.yaml",
      "telegram-groups.yaml",
      "telegram-openai-compatible.yaml",
      "two-agents.yaml",
      "web-demo.yaml",
    ]);
  });

  it.each(profiles)("%s names the schema, loads without a word, and runs", async (profile) => {
    expect(readFileSync(join(FOLDER, profile), "utf8")).toMatch(/^# yaml-language-server: \$schema=\.\.\/trunkline\.schema\.json\n/);
    const folder = copyOf(profile);
    const emulator = await createTelegramEmulator();
    onTestFinished(() => emulator.close());
    const container = createContainer();
    const channels = await registerChannels(container);
    const options: LoadConfigOptions & { readonly file: string } = {
      file: join(folder, "trunkline.yaml"),
      env: { TELEGRAM_TOKEN: emulator.token, MODEL_KEY: "a-key-for-tests" },
      channels,
      knownProviders: BUILT_IN_PROVIDERS,
    };
    const asWritten = loadConfig(options);
    expect(formatIssues([...(asWritten.ok ? [] : asWritten.issues), ...asWritten.warnings])).toBe("");

    // On this machine: any free port, and the emulator in place of Telegram.
    expect(setConfigValue("gateway.port", 0, options)).toMatchObject({ ok: true });
    if (asWritten.ok && "telegram" in asWritten.snapshot.config.channels) {
      expect(setConfigValue("channels.telegram.accounts.main.apiRoot", emulator.apiRoot, options)).toMatchObject({ ok: true });
    }
    const loaded = loadConfig(options);
    if (!loaded.ok) throw new Error(formatIssues(loaded.issues));
    const data = { path: join(folder, "data"), storeUrl: `sqlite:${join(folder, "data", "trunkline.db")}` };
    const gateway = await startGateway({ snapshot: loaded.snapshot, data, container, logger: silentLogger, redactor: createRedactor() });
    onTestFinished(() => gateway.stop());
    await vi.waitFor(async () => expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200), { timeout: 10_000 });
    const { accounts } = await gateway.status();
    expect(accounts.length).toBeGreaterThan(0);
    expect(accounts.map(({ state }) => state)).toEqual(accounts.map(() => "connected"));
  });
});
