import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatIssues } from "./issue.ts";
import { loadConfig, type LoadedConfig } from "./load.ts";

const TOKEN = `123456:${"A".repeat(35)}`;
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-config-"));
  file = join(folder, "trunkline.yaml");
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function load(content?: string | Uint8Array, env: Record<string, string> = {}): LoadedConfig {
  if (content !== undefined) writeFileSync(file, content, { mode: 0o600 });
  return loadConfig({ file, env, channels: [webChannel, telegramChannel], knownProviders: ["demo"] });
}

function running(loaded: LoadedConfig): Extract<LoadedConfig, { ok: true }> {
  if (!loaded.ok) throw new Error(formatIssues(loaded.issues));
  return loaded;
}

function complaint(loaded: LoadedConfig): string {
  return loaded.ok ? "" : formatIssues(loaded.issues).replaceAll(folder, "");
}

/** A Telegram account whose keys are given as flow YAML; direct messages off, so that nothing else is worth a warning. */
function account(keys: string): string {
  return `version: 1\nchannels:\n  telegram:\n    accounts:\n      main: { dmPolicy: disabled, ${keys} }\n`;
}

describe("without a file", () => {
  it("starts the web chat with the demo agent, and nothing of it has a place", () => {
    const { snapshot, warnings, secrets } = running(
      loadConfig({ env: {}, channels: [webChannel, telegramChannel], knownProviders: ["demo"] }),
    );
    expect(Object.keys(snapshot.config.channels)).toEqual(["web"]);
    expect(snapshot.config.agents.list).toMatchObject([{ id: "guide", identity: { name: "Guide" }, model: { primary: "demo/guide" } }]);
    expect(snapshot.origin("channels.web.accounts.main")).toBeUndefined();
    expect([...warnings, ...secrets]).toEqual([]);
  });
});

describe("the snapshot", () => {
  const yaml = `version: 1
agents:
  list:
    - id: aria
      identity: { name: Aria }
channels:
  telegram:
    accounts:
      main:
        token: "\${TELEGRAM_TOKEN}"
        dmPolicy: disabled
        groups:
          "-100.5": { requireMention: false }
`;

  it("tells where a value was written", () => {
    const { snapshot } = running(load(yaml, { TELEGRAM_TOKEN: TOKEN }));
    expect(snapshot.origin("channels.telegram.accounts.main.dmPolicy")).toEqual({ file, line: 11, column: 19 });
    expect(snapshot.origin("agents.list.0.identity.name")).toEqual({ file, line: 5, column: 25 });
    expect(snapshot.origin("agents.list[0].identity.name")).toEqual({ file, line: 5, column: 25 });
    expect(snapshot.origin("channels.telegram.accounts.main.groups.-100.5.requireMention")).toEqual({ file, line: 13, column: 39 });
  });

  it("gives the nearest written place for a key that is absent, and none for a section that is", () => {
    const { snapshot } = running(load(yaml, { TELEGRAM_TOKEN: TOKEN }));
    expect(snapshot.origin("channels.telegram.accounts.main.groupPolicy")).toEqual({ file, line: 9, column: 7 });
    expect(snapshot.origin("channels.telegram.accounts.main.groups.-100.5.allowFrom")).toEqual({ file, line: 13, column: 11 });
    expect(snapshot.origin("messages.maxInboundAge")).toBeUndefined();
    expect(snapshot.origin("")).toBeUndefined();
  });

  it("cannot be changed", () => {
    const { config } = running(load(yaml, { TELEGRAM_TOKEN: TOKEN })).snapshot;
    expect(() => Object.assign(config.gateway, { port: 1 })).toThrow(TypeError);
    expect(() => (config.agents.list as unknown[]).push({})).toThrow(TypeError);
  });

  it("adds the web chat when the file names no channels", () => {
    expect(Object.keys(running(load("version: 1\n")).snapshot.config.channels)).toEqual(["web"]);
    expect(Object.keys(running(load(yaml, { TELEGRAM_TOKEN: TOKEN })).snapshot.config.channels)).toEqual(["telegram"]);
  });
});

describe("files that the configuration names", () => {
  it("reads a secret without its last line end, and remembers it", () => {
    writeFileSync(join(folder, "token"), `${TOKEN}\n`, { mode: 0o600 });
    const { snapshot, secrets, warnings } = running(load(account('token: "file:./token"')));
    expect(snapshot.config.channels["telegram"]?.accounts["main"]?.own["token"]).toBe(TOKEN);
    expect(secrets).toContain(TOKEN);
    expect(warnings).toEqual([]);
  });

  it("finds a secret in the home folder", () => {
    mkdirSync(join(folder, "home"));
    writeFileSync(join(folder, "home", "token"), TOKEN, { mode: 0o600 });
    expect(running(load(account('token: "file:~/token"'), { HOME: join(folder, "home") })).secrets).toContain(TOKEN);
  });

  it("refuses a secret file that is empty, missing, or a folder", () => {
    writeFileSync(join(folder, "empty"), "\n");
    expect(complaint(load(account('token: "file:empty"')))).toContain("the secret file /empty is empty");
    expect(complaint(load(account('token: "file:gone"')))).toContain("the secret file /gone does not exist");
    expect(complaint(load(account('token: "file:."')))).toContain("is a folder");
  });

  it("reads instructions as they are, variables and all", () => {
    mkdirSync(join(folder, "agents"));
    writeFileSync(join(folder, "agents", "aria.md"), "# Aria\n\nSay ${HELLO}.\n");
    const { snapshot } = running(load("version: 1\nagents: { list: [ { id: aria, instructions: ./agents/aria.md } ] }\n"));
    expect(snapshot.config.agents.list[0]?.instructions).toBe("# Aria\n\nSay ${HELLO}.\n");
    expect(snapshot.origin("agents.list.0.instructions")).toEqual({ file, line: 2, column: 45 });
  });

  it("leaves file: alone where no secret belongs", () => {
    const { snapshot } = running(load('version: 1\nmessages: { texts: { hello: "file:./token" } }\n'));
    expect(snapshot.config.messages.texts["hello"]).toBe("file:./token");
  });
});

describe("the file itself", () => {
  it("may start with a byte order mark and have Windows line ends", () => {
    const { snapshot } = running(load("\ufeffversion: 1\r\ngateway:\r\n  port: 9000\r\n"));
    expect(snapshot.config.gateway.port).toBe(9000);
    expect(snapshot.origin("gateway.port")).toEqual({ file, line: 3, column: 9 });
  });

  it("says in plain words why it cannot be read", () => {
    expect(complaint(load())).toBe(
      "/trunkline.yaml  the configuration file does not exist\n    Check the path and its permissions, or start without --config to use the built-in demo.",
    );
    mkdirSync(file);
    expect(complaint(load())).toBe(
      "/trunkline.yaml/trunkline.yaml  the configuration file does not exist\n    A folder that is a configuration has a trunkline.yaml in it.",
    );
  });

  it("is not read when it is far too large", () => {
    expect(complaint(load(`version: 1\n# ${"x".repeat(1024 * 1024)}\n`))).toContain("is larger than 1 MB");
  });

  it("has to be UTF-8, and the place where it is not is shown", () => {
    const latin = Buffer.concat([Buffer.from("version: 1\nmessages: { silentToken: Gr"), Buffer.from([0xfc]), Buffer.from("n }\n")]);
    expect(complaint(load(latin))).toContain("/trunkline.yaml:2:28  the configuration file is not UTF-8");
    expect(complaint(load(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("version: 1", "utf16le")])))).toContain("is UTF-16");
  });

  it("has no invisible characters", () => {
    expect(complaint(load("version: 1\nowners:\n  - \u0000\n"))).toContain("/trunkline.yaml:3:5  there is a control character here");
    expect(complaint(load("version: 1\ngateway:\n\u00a0\u00a0port: 1\n"))).toContain(
      "/trunkline.yaml:3:1  an invisible character stands where a space is meant",
    );
  });

  it("may nest brackets by the thousand without ending the program", () => {
    expect(complaint(load(`version: 1\nowners: ${"[".repeat(9000)}\n`))).toMatch(/nested too deeply|not closed|not valid YAML/);
  });
});

describe.skipIf(process.platform === "win32")("a secret written out", () => {
  const yaml = account(`token: "${TOKEN}"`);

  it("is fine in a file that only its owner can read", () => {
    const { warnings, secrets } = running(load(yaml));
    expect(warnings).toEqual([]);
    expect(secrets).toContain(TOKEN);
  });

  it("is worth a warning when others can read the file", () => {
    load(yaml);
    chmodSync(file, 0o644);
    const { warnings } = running(load());
    expect(formatIssues(warnings).replaceAll(folder, "")).toBe(
      "/trunkline.yaml:5:42  warning: channels.telegram.accounts.main.token: a secret stands in a file that other users of this machine can read\n" +
        "    Run: chmod 600 /trunkline.yaml; or write ${VARIABLE} or file:./path instead of the secret.",
    );
  });

  it("is no secret when a variable stands there, whoever can read the file", () => {
    load(account('token: "${BOT}"'), { BOT: TOKEN });
    chmodSync(file, 0o644);
    expect(running(load(undefined, { BOT: TOKEN })).warnings).toEqual([]);
  });

  it("is worth a warning when others can read the secret's own file", () => {
    writeFileSync(join(folder, "token"), TOKEN);
    chmodSync(join(folder, "token"), 0o644);
    expect(formatIssues(running(load(account('token: "file:token"'))).warnings)).toContain("can be read by other users of this machine");
  });
});
