import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { CHANNELS, createRedactor, definePlugin, type LogFields, type Logger, MODELS } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { createGate, createScriptedModel, hold, say, type ScriptedModel } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Gateway, startGateway } from "../gateway.ts";
import { filesOf, readSections } from "./fake-files.ts";
import { createPager, type Pager } from "./fake-pager.ts";
import { formatIssues } from "./issue.ts";
import { LARGE_CONFIGS } from "./large-configs.ts";
import { loadConfig, type LoadedConfig } from "./load.ts";

const KEY = "canary-key-0123456789";
const BOT_TOKEN = `123456:${"A".repeat(35)}`;
/** What is promised of a valid edit: it counts within this, ms. */
const PROMISE_MS = 2000;

interface Rig {
  readonly gateway: Gateway;
  readonly pager: Pager;
  readonly model: ScriptedModel;
  readonly logs: readonly { readonly level: string; readonly message: string; readonly fields: LogFields }[];
  /** Replaces files of the folder as editors do: written beside, then renamed. */
  edit(yaml: string): void;
  status(): ReturnType<Gateway["status"]>;
}

/** A running gateway on a channel and a model in memory, from the files of a folder. */
async function rig(yaml: string): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-reload-"));
  const file = join(folder, "trunkline.yaml");
  const edit = (text: string): void => {
    const files = filesOf(text);
    for (const name of readdirSync(folder)) if (name !== "data" && !files.has(name)) rmSync(join(folder, name), { recursive: true });
    for (const [name, content] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, ".new"), content, { mode: 0o600 });
      renameSync(join(folder, ".new"), join(folder, name));
    }
  };
  edit(yaml);
  const pager = createPager();
  const model = createScriptedModel({ id: "script" });
  const channels = [webChannel, telegramChannel, pager.channel];
  const load = (revision: number): LoadedConfig =>
    loadConfig({ file, env: { KEY, BOT_TOKEN, EMPTY: "", WORD: "many" }, channels, knownProviders: ["demo", "script"], revision });
  const loaded = load(1);
  if (!loaded.ok) throw new Error(formatIssues(loaded.issues));
  const container = createContainer();
  container.register(
    definePlugin({
      name: "test",
      version: "0",
      register(context) {
        for (const channel of channels) context.contribute(CHANNELS, channel);
        context.contribute(MODELS, model);
      },
    }),
  );
  const logs: { level: string; message: string; fields: LogFields }[] = [];
  const gateway = await startGateway({
    snapshot: loaded.snapshot,
    data: { path: join(folder, "data"), storeUrl: `sqlite:${join(folder, "data", "trunkline.db")}` },
    container,
    logger: listLogger(logs),
    redactor: createRedactor(),
    reload: { from: loaded.from, load },
  });
  onTestFinished(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { gateway, pager, model, logs, edit, status: () => gateway.status() };
}

function listLogger(logs: { level: string; message: string; fields: LogFields }[]): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => void logs.push({ level, message, fields });
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), child: () => logger };
  return logger;
}

const until = <T>(condition: () => T | Promise<T>, timeout = 10_000): Promise<T> => vi.waitFor(condition, { timeout, interval: 10 });

/** Two accounts, one agent on the model of the test. */
function config({ main = "tone: 1", more = "", agents = "[{ id: aria }]", top = "" } = {}): string {
  return `version: 1
gateway: { port: 0 }
agents: { defaults: { model: { primary: script/x } }, list: ${agents} }
channels:
  pager:
    accounts:
      main: { key: "\${KEY}", dmPolicy: open, allowFrom: ["*"], ${main} }
      other: { key: other, dmPolicy: open, allowFrom: ["*"] }
${more}${top}`;
}

const revision = async ({ status }: Rig): Promise<number> => (await status()).config.revision;
const statesOf = async ({ status }: Rig): Promise<readonly string[]> =>
  (await status()).accounts.map(({ account, state }) => `${account} ${state}`);

describe("a valid edit", () => {
  it("counts within two seconds, without a word to the gateway, and restarts only the account that it touches", async () => {
    const world = await rig(config());
    await until(() => expect(world.pager.connects).toHaveLength(2));
    world.edit(config({ main: "tone: 2" }));
    await until(async () => expect(await revision(world)).toBe(2), PROMISE_MS);
    await until(() => expect(world.pager.connects).toEqual([`main ${KEY}`, "other other", `main ${KEY}`]));
    expect(world.pager.stops).toEqual([`main ${KEY}`]);
    expect(world.logs.filter(({ message }) => message.includes("is used")).map(({ fields }) => fields["changed"])).toEqual([
      "account pager:main restart",
    ]);
  });

  it("of an included file, of an agent's file, or of a new one counts as well", async () => {
    const files = (thinking: string, more = ""): string =>
      `${config({ top: "include: [./more.yaml]\n" })}@@ more.yaml\nmessages: { silentToken: "${thinking}" }\n@@ agents/bert.yaml\nthinking: ${thinking}\n${more}`;
    const world = await rig(files("low"));
    world.edit(files("high"));
    await until(async () => expect(await revision(world)).toBe(2), PROMISE_MS);
    world.edit(files("high", "@@ agents/carl.yaml\nthinking: low\n"));
    await until(async () => expect(await revision(world)).toBe(3), PROMISE_MS);
    expect(world.logs.filter(({ message }) => message.includes("is used")).map(({ fields }) => fields["changed"])).toEqual([
      "agents bert, sections messages",
      "agents carl",
    ]);
    expect(world.pager.connects).toHaveLength(2);
  });

  it("of access rules and agents counts at the next message, and nothing restarts", async () => {
    const world = await rig(config());
    await world.pager.say("main", "one");
    await until(() => expect(world.pager.sent).toMatchObject([{ text: "echo: one" }]));
    world.edit(
      config()
        .replace('allowFrom: ["*"], tone', 'dmPolicy: allowlist, allowFrom: ["7"], tone')
        .replace("dmPolicy: open, dmPolicy", "dmPolicy"),
    );
    world.gateway.reloadConfig();
    expect(await revision(world)).toBe(2);
    await world.pager.say("main", "two");
    await world.pager.say("main", "three", "7");
    await until(() => expect(world.pager.sent.map(({ to, text }) => `${to} ${text}`)).toEqual(["1 echo: one", "7 echo: three"]));
    expect((await world.status()).messages.dispositions).toMatchObject({ denied: 1 });
    expect(world.pager.connects).toHaveLength(2);
    expect(world.pager.stops).toEqual([]);
  });

  it("that changes nothing in what is read does nothing, and one in a comment restarts nothing", async () => {
    const world = await rig(config());
    world.edit(config());
    world.gateway.reloadConfig();
    expect(await revision(world)).toBe(1);
    world.edit(`# a comment\n${config().replace("tone: 1", "tone: 0x1")}`);
    world.gateway.reloadConfig();
    expect(await revision(world)).toBe(2);
    expect(world.logs.find(({ message }) => message.includes("is used"))?.fields["changed"]).toBe("nothing");
    expect(world.pager.stops).toEqual([]);
  });

  it("of the address, the port or the store is told once to need a restart", async () => {
    const world = await rig(config());
    world.edit(config({ top: "store: { url: sqlite:./elsewhere.db }\n" }).replace("port: 0", "port: 1, host: localhost"));
    world.gateway.reloadConfig();
    expect(world.logs.filter(({ message }) => message.includes("next start")).map(({ fields }) => fields["keys"])).toEqual([
      "gateway.host, gateway.port, store.url",
    ]);
    expect((await world.status()).url).not.toMatch(/:1$/);
  });
});

describe("a running turn", () => {
  it("is answered through the new connection when its account restarts meanwhile", async () => {
    const world = await rig(config());
    const gate = createGate();
    world.model.next(say("a long "), hold(gate), say("answer"));
    await world.pager.say("main", "hello");
    await gate.reached;
    world.edit(config().replace('"${KEY}"', "another-key-1"));
    world.gateway.reloadConfig();
    await until(() => expect(world.pager.connects).toContain("main another-key-1"));
    expect(world.pager.sent).toEqual([]);
    gate.open();
    await until(() => expect(world.pager.sent).toEqual([{ by: "main another-key-1", to: "1", text: "a long answer" }]));
    expect((await world.status()).messages.dispositions).toEqual({ replied: 1 });
  });

  it("lets a send in flight finish when its account restarts meanwhile", async () => {
    const world = await rig(config());
    const release = world.pager.holdSends();
    await world.pager.say("main", "hello");
    await until(async () => expect((await world.status()).openParts).toBe(1));
    await until(async () => expect((await world.status()).messages.open).toBe(0));
    world.edit(config({ main: "tone: 2" }));
    world.gateway.reloadConfig();
    expect(world.pager.stops).toEqual([]);
    release();
    await until(() => expect(world.pager.connects).toHaveLength(3));
    await until(async () => expect((await world.status()).openParts).toBe(0));
    expect(world.pager.sent.map(({ text }) => text)).toEqual(["echo: hello"]);
  });

  it("is answered before its removed account goes, and what the account has in the store stays", async () => {
    const world = await rig(config());
    const gate = createGate();
    world.model.next(hold(gate), say("goodbye"));
    await world.pager.say("main", "hello");
    await gate.reached;
    world.edit(config().replace(/ +main:.*\n/, ""));
    world.gateway.reloadConfig();
    expect(await revision(world)).toBe(2);
    expect(world.pager.stops).toEqual([]);
    gate.open();
    await until(() => expect(world.pager.sent).toMatchObject([{ text: "goodbye" }]));
    await until(async () => expect(await statesOf(world)).toEqual(["other connected"]));
    expect(world.pager.stops).toEqual([`main ${KEY}`]);
    expect((await world.status()).messages.dispositions).toEqual({ replied: 1 });
    world.edit(config());
    world.gateway.reloadConfig();
    await until(async () => expect((await statesOf(world)).toSorted()).toEqual(["main connected", "other connected"]));
  });

  it("keeps the agent that it began with", async () => {
    const world = await rig(config());
    const gate = createGate();
    world.model.next(hold(gate), say("as I was"));
    await world.pager.say("main", "hello");
    await gate.reached;
    world.edit(config({ agents: "[{ id: bert, model: { primary: demo/guide } }]" }));
    world.gateway.reloadConfig();
    gate.open();
    await until(() => expect(world.pager.sent).toMatchObject([{ text: "as I was" }]));
  });
});

describe("an invalid edit", () => {
  it("is told once, shows in the status, and is forgotten when it is mended", async () => {
    const world = await rig(config());
    const errors = () => world.logs.filter(({ level }) => level === "error");
    world.edit(config({ top: "gatewey: {}\n" }));
    await until(async () => expect((await world.status()).config.lastError).not.toBeNull(), PROMISE_MS);
    world.gateway.reloadConfig();
    world.gateway.reloadConfig();
    expect(errors()).toHaveLength(1);
    expect(errors()[0]?.fields["issues"]).toMatch(/trunkline\.yaml:9:1 {2}gatewey: unknown key "gatewey"\n +Did you mean gateway\?/);
    expect((await world.status()).config).toMatchObject({ revision: 1, file: expect.stringContaining("trunkline.yaml") });
    world.edit(config({ top: "gatewai: {}\n" }));
    world.gateway.reloadConfig();
    expect(errors()).toHaveLength(2);
    world.edit(config({ main: "tone: 1, allowFrm: []" }).replace('"${KEY}"', "a-new-canary-key-77"));
    world.gateway.reloadConfig();
    expect(JSON.stringify([world.logs, await world.status()])).not.toMatch(/canary-key-(77|01)/);
    world.edit(config());
    world.gateway.reloadConfig();
    expect((await world.status()).config.lastError).toBeNull();
    expect(world.pager.stops).toEqual([]);
  });

  it("of every kind in the table leaves the running configuration and a running turn alone", async () => {
    const world = await rig(config());
    const gate = createGate();
    world.model.next(say("still "), hold(gate), say("here"));
    await world.pager.say("main", "hello");
    await gate.reached;
    const large = Object.entries(LARGE_CONFIGS).map(([name, yaml]) => ({ name, yaml }));
    const sections = [...readSections(new URL("broken-configs.txt", import.meta.url)), ...large];
    for (const { name, yaml } of sections) {
      world.edit(yaml);
      world.gateway.reloadConfig();
      const { config: now, accounts } = await world.status();
      expect(now, name).toMatchObject({ revision: 1, lastError: { issues: expect.stringContaining("yaml") } });
      expect(
        accounts.map(({ state }) => state),
        name,
      ).toEqual(["connected", "connected"]);
      world.edit(config());
      world.gateway.reloadConfig();
      expect((await world.status()).config, name).toMatchObject({ revision: 1, lastError: null });
    }
    expect(sections.length).toBeGreaterThanOrEqual(60);
    gate.open();
    await until(() => expect(world.pager.sent).toEqual([{ by: `main ${KEY}`, to: "1", text: "still here" }]));
    expect(world.pager.connects).toHaveLength(2);
    expect((await world.status()).messages.dispositions).toEqual({ replied: 1 });
  }, 120_000);
});
