import {
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  lstatSync,
  writeFileSync,
  mkdtempSync,
  rmSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "@trunkline/plugin-sdk";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { runCli } from "./main.ts";

const TOKEN = `123456:${"A".repeat(35)}`;

let folder: string;
let main: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-cli-config-"));
  main = join(folder, "trunkline.yaml");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv("BOT_TOKEN", TOKEN);
  onTestFinished(() => void vi.unstubAllEnvs());
  mkdirSync(join(folder, "agents"));
  writeFileSync(main, MAIN, { mode: 0o600 });
  writeFileSync(join(folder, "telegram.yaml"), TELEGRAM, { mode: 0o640 });
  writeFileSync(join(folder, "agents", "bert.yaml"), "# Bert answers questions.\nthinking: high # he takes his time\n");
});

const MAIN = `version: 1 # the format
include: [./telegram.yaml]
agents:
  defaults: { thinking: minimal }
  list:
    - id: aria # the first
      instructions: You are Aria.
markdown: { tables: bullets }
store: { url: "postgres://user:hunter2hunter2@db/x" }
`;

const TELEGRAM = `channels:
  telegram:
    accounts:
      main:
        token: \${BOT_TOKEN} # from the environment
        dmPolicy: allowlist
        allowFrom: ["1"]
        groups: { "-100.5": {}, "*": { requireMention: false } }
`;

async function trunkline(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const lines = { out: [] as string[], err: [] as string[] };
  const io = { out: (text: string) => lines.out.push(text), err: (text: string) => lines.err.push(text), redactor: createRedactor() };
  const code = await runCli([...args, "--config", folder], io);
  const plain = (text: readonly string[]): string => text.join("\n").replaceAll(`${folder}/`, "");
  return { code, out: plain(lines.out), err: plain(lines.err) };
}

const get = async (...args: string[]): Promise<string> => (await trunkline("config", "get", ...args)).out;

describe("trunkline config get", () => {
  it("prints a value as it counts", async () => {
    expect(await get("agents.list.aria.thinking")).toBe("minimal");
    expect(await get("gateway.port")).toBe("8642");
    expect(await get("channels.telegram.accounts.main.allowFrom")).toBe('[\n  "1"\n]');
    expect(await get("agents.list[1].id")).toBe("bert");
    expect(await get("messages.locale")).toBe("(not set)");
  });

  it("tells which level decided it, and where", async () => {
    const origins = async (path: string): Promise<string> => (await get(path, "--origin")).split("\n  ").slice(1).join("\n");
    expect(await origins("gateway.port")).toBe("level built-in");
    expect(await origins("agents.list.aria.thinking")).toBe("level defaults, by agents.defaults.thinking, trunkline.yaml:4:25");
    expect(await origins("agents.list.bert.thinking")).toBe("level agent, agents/bert.yaml:2:11");
    expect(await origins("channels.telegram.accounts.main.dmPolicy")).toBe("level account, telegram.yaml:6:19");
    expect(await origins("channels.telegram.accounts.main.markdown.tables")).toBe(
      "level defaults, by markdown.tables, trunkline.yaml:8:21",
    );
    expect(await origins("channels.telegram.accounts.main.groupPolicy")).toBe("level built-in");
    expect(await origins("channels.telegram.accounts.main.groups.*.requireMention")).toBe("level conversation, telegram.yaml:8:56");
    expect(await origins("channels.telegram.accounts.main.groups.-100.5")).toBe("level conversation, telegram.yaml:8:19");
    expect(await origins("channels.telegram.accounts.main.groups.-100.5.requireMention")).toBe("level built-in");
    expect(await origins("version")).toBe("level configuration, trunkline.yaml:1:10");
    expect(await origins("channels.telegram.accounts.main.token")).toBe("level account, telegram.yaml:5:16, from ${BOT_TOKEN}");
  });

  it("tells what a channel says for all its accounts, and sets it for one alone", async () => {
    writeFileSync(join(folder, "telegram.yaml"), TELEGRAM.replace("    accounts:", "    defaults: { onAmbiguous: hold }\n    accounts:"));
    const path = "channels.telegram.accounts.main.onAmbiguous";
    expect(await get(path, "--origin")).toBe("hold\n  level channel, by channels.telegram.defaults.onAmbiguous, telegram.yaml:3:30");
    expect((await trunkline("config", "set", path, "resend")).code).toBe(0);
    expect(readFileSync(join(folder, "telegram.yaml"), "utf8")).toContain(
      '"*": { requireMention: false } }\n        onAmbiguous: resend\n',
    );
    expect(await get(path, "--origin")).toBe("resend\n  level account, telegram.yaml:10:22");
  });

  it("shows no secret, by whichever path", async () => {
    expect(await get("channels.telegram.accounts.main.token")).toBe("[secret]");
    expect(await get("store.url")).toBe("postgres://[secret]@db/x");
    for (const path of ["channels", "channels.telegram.accounts.main", "store"]) {
      const shown = (await get(path)) + (await get(path, "--json"));
      expect(shown).not.toContain("AAAA");
      expect(shown).not.toContain("hunter2");
    }
  });

  it("prints JSON", async () => {
    expect(JSON.parse(await get("agents.list.bert.thinking", "--json"))).toEqual({
      path: "agents.list.1.thinking",
      value: "high",
      level: "agent",
      origin: { file: expect.stringContaining("bert.yaml"), line: 2, column: 11 },
      from: null,
      variables: [],
    });
  });

  it("says what there is when the path leads nowhere", async () => {
    const { code, err } = await trunkline("config", "get", "agents.list.bart.thinking");
    expect(code).toBe(1);
    expect(err).toContain("CONFIG_PATH_UNKNOWN");
    expect(err).toContain("Did you mean bert? There: aria, bert.");
  });
});

describe("trunkline config set", () => {
  it("changes the file where the value stands, and nothing else in it", async () => {
    expect((await trunkline("config", "set", "channels.telegram.accounts.main.dmPolicy", "disabled")).out).toMatch(/^telegram\.yaml: /);
    expect(readFileSync(join(folder, "telegram.yaml"), "utf8")).toBe(TELEGRAM.replace("allowlist", "disabled"));
    expect(readFileSync(main, "utf8")).toBe(MAIN);
    expect((await trunkline("config", "set", "agents.list.bert.model.primary", "demo/guide")).out).toMatch(/^agents\/bert\.yaml: /);
    expect(readFileSync(join(folder, "agents", "bert.yaml"), "utf8")).toBe(
      "# Bert answers questions.\nthinking: high # he takes his time\nmodel:\n  primary: demo/guide\n",
    );
  });

  it("writes no secret that a variable holds", async () => {
    await trunkline("config", "set", "channels.telegram.accounts.main.allowFrom", '["1", "2"]');
    const written = readFileSync(join(folder, "telegram.yaml"), "utf8");
    expect(written).toContain("token: ${BOT_TOKEN} # from the environment");
    expect(written).not.toContain("AAAA");
  });

  it("adds what is new to the main file", async () => {
    expect((await trunkline("config", "set", "gateway.port", "9001")).code).toBe(0);
    expect(readFileSync(main, "utf8")).toBe(`${MAIN}gateway:\n  port: 9001\n`);
    expect(await get("gateway.port", "--origin")).toBe("9001\n  level configuration, trunkline.yaml:11:9");
  });

  it("takes words for text where the format wants text", async () => {
    await trunkline("config", "set", "messages.silentToken", "0123");
    expect(readFileSync(main, "utf8")).toContain('silentToken: "0123"');
  });

  it("refuses what would not be valid, with the line it would have, and writes nothing", async () => {
    const { code, err } = await trunkline("config", "set", "channels.telegram.accounts.main.dmPolicy", "parring");
    expect(code).toBe(1);
    expect(err).toContain("telegram.yaml:6:19  channels.telegram.accounts.main.dmPolicy: expected one of");
    expect(err).toContain("Did you mean pairing?");
    expect(err).toContain("Nothing was written");
    expect(readFileSync(join(folder, "telegram.yaml"), "utf8")).toBe(TELEGRAM);
    expect((await trunkline("config", "set", "gatewey.port", "1")).err).toContain("Did you mean gateway?");
    expect((await trunkline("config", "set", "channels.telegram.accounts.main.allowFrom", "[123]")).err).toContain('Write "123" in quotes');
    expect(readFileSync(main, "utf8")).toBe(MAIN);
  });

  it.skipIf(process.platform === "win32")("keeps the mode of the file, a link to it, and leaves nothing behind", async () => {
    await trunkline("config", "set", "logs.level", "debug");
    expect(statSync(main).mode & 0o777).toBe(0o600);
    chmodSync(join(folder, "telegram.yaml"), 0o640);
    await trunkline("config", "set", "channels.telegram.accounts.main.enabled", "false");
    expect(statSync(join(folder, "telegram.yaml")).mode & 0o777).toBe(0o640);
    const elsewhere = join(folder, "elsewhere.yaml");
    writeFileSync(elsewhere, readFileSync(main));
    rmSync(main);
    symlinkSync(elsewhere, main);
    expect((await trunkline("config", "set", "logs.level", "warn")).code).toBe(0);
    expect(lstatSync(main).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, "utf8")).toContain("level: warn");
    expect(readdirSync(folder).toSorted()).toEqual(["agents", "elsewhere.yaml", "telegram.yaml", "trunkline.yaml"]);
  });
});

describe("trunkline config schema", () => {
  it("prints what an editor can use", async () => {
    const lines: string[] = [];
    const io = { out: (text: string) => lines.push(text), err: () => {}, redactor: createRedactor() };
    expect(await runCli(["config", "schema"], io)).toBe(0);
    expect(JSON.parse(lines.join("\n"))).toMatchObject({ properties: { version: { const: 1 }, include: { type: "array" } } });
  });
});
