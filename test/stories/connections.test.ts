import { createServer, connect as dial, type Socket } from "node:net";
import {
  BUILT_IN_COMMANDS,
  createHooks,
  createModelRegistry,
  createPipeline,
  createStepLoop,
  openStore,
  type Pipeline,
} from "@trunkline/core";
import { type ChannelPlugin, createIds, silentLogger, systemClock } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { createScriptedModel, createTelegramEmulator, createVirtualClock, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { fakeAccount, fakeConfig, fakeSource } from "../../packages/core/src/fake-config.ts";
import { registerChannels } from "../../packages/gateway/src/channels.ts";
import { seededRandom } from "../support/random.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ANN = { userId: 42, firstName: "Ann" };
const OWNER = { userId: 1001, firstName: "Olga" };
const OTHER_TOKEN = "7000000002:emulated-token-of-another-bot";

/** Two accounts on emulators of their own, in virtual time; the wall clock can be set aside from it. */
async function twoAccounts(apiRootOf: (main: TelegramEmulator) => Promise<string> = async ({ apiRoot }) => apiRoot) {
  const virtual = createVirtualClock(NOW);
  const main = await createTelegramEmulator({ clock: virtual });
  const other = await createTelegramEmulator({ clock: virtual, token: OTHER_TOKEN });
  onTestFinished(() => Promise.all([main.close(), other.close()]).then(() => {}));
  other.privateChat(OWNER);
  let skew = 0;
  const clock = { ...virtual, now: () => virtual.now() + skew };
  const account = (token: string, apiRoot: string) =>
    fakeAccount({ dmPolicy: "open", allowFrom: ["*"], own: { token, apiRoot, mode: "polling" } });
  const accounts = { main: account(main.token, await apiRootOf(main)), other: account(other.token, other.apiRoot) };
  const folder = tempFolder();
  const store = await openStore({ url: `sqlite:${join(folder, "trunkline.db")}`, clock: systemClock });
  const random = seededRandom(1);
  const pipeline = createPipeline({
    config: fakeSource(fakeConfig({ channels: { telegram: { accounts } }, owners: ["telegram:other:1001"] })),
    store,
    clock,
    ids: createIds(() => clock.now(), random),
    logger: silentLogger,
    hooks: createHooks(clock, silentLogger),
    agent: createStepLoop({ models: createModelRegistry([createScriptedModel()]), clock, logger: silentLogger }),
    channels: (await registerChannels(createContainer())) as readonly ChannelPlugin[],
    commands: BUILT_IN_COMMANDS,
    tools: [],
    dataFolder: folder,
    random,
    secureBytes: (count) => new Uint8Array(count),
    owner: "test",
  });
  onTestFinished(async () => {
    main.faults.clear();
    const ended = pipeline.stop(0);
    let over = false;
    void ended.then(() => (over = true));
    await waitUntil(async () => {
      await virtual.advance(SECOND);
      return over;
    }, "the pipeline has stopped");
    await store.close();
  });
  await pipeline.start();
  await waitUntil(() => pipeline.accounts().every(({ state }) => state === "connected"), "both accounts are connected");
  return { main, other, virtual, clock, pipeline, store, setSkew: (ms: number) => void (skew = ms) };
}

type Rig = Awaited<ReturnType<typeof twoAccounts>>;

function says(emulator: TelegramEmulator, { clock }: Rig, text: string, at = clock.now()): void {
  emulator.send(emulator.privateChat(ANN), ANN, { text, date: Math.floor(at / 1000) });
}

const answers = (emulator: TelegramEmulator, chat = ANN.userId): readonly string[] =>
  emulator.audit
    .visible(chat)
    .filter(({ from }) => from === "bot")
    .map(({ text }) => text);

const answered = (emulator: TelegramEmulator, ...texts: readonly string[]) =>
  waitUntil(() => answers(emulator).length >= texts.length, `answers to ${texts.join(", ")}`).then(() =>
    expect(answers(emulator)).toEqual(texts.map((text) => `echo: ${text}`)),
  );

const statusOf = (pipeline: Pipeline, account: string) => pipeline.accounts().find((one) => one.account === account)!;

/** Lets virtual time pass, and in between the other account's polls come back: its wire is real, and takes real moments. */
async function pass({ virtual, other }: Rig, ms: number, step = 15 * SECOND): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    await virtual.advance(step);
    await waitUntil(() => other.polling, "the other account polls");
  }
}

/** Lets time pass until something holds. */
const passUntil = (rig: Rig, condition: () => boolean, what: string) =>
  waitUntil(async () => {
    await pass(rig, 5 * SECOND, 5 * SECOND);
    return condition();
  }, what);

/** A wire to a server that can go dead: what is open stays open, and nothing comes through any more. New connections do. */
async function wire(target: string): Promise<{ readonly url: string; cut(): number }> {
  const { port } = new URL(target);
  const alive = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = dial(Number(port), "127.0.0.1");
    const pair = [near, far] as const;
    alive.add(pair);
    near.pipe(far).pipe(near);
    for (const socket of pair) socket.on("error", () => {}).on("close", () => alive.delete(pair));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const all: Socket[] = [];
  server.on("connection", (socket: Socket) => void all.push(socket));
  onTestFinished(() => {
    for (const socket of all) socket.destroy();
    server.close();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    cut() {
      const count = alive.size;
      for (const pair of alive) for (const socket of pair) socket.unpipe().pause();
      alive.clear();
      return count;
    },
  };
}

let rig: Rig;

describe("a half-open socket", () => {
  it("is noticed by its silence, and what was written meanwhile is answered once", async () => {
    let cable: Awaited<ReturnType<typeof wire>> | undefined;
    rig = await twoAccounts(async ({ apiRoot }) => (cable = await wire(apiRoot)).url);
    const { main, other, pipeline } = rig;
    says(main, rig, "one");
    await answered(main, "one");
    await waitUntil(() => main.polling, "the next poll is open");
    expect(cable!.cut()).toBeGreaterThan(0);
    says(main, rig, "two");
    says(other, rig, "hello");
    await answered(other, "hello");
    expect(statusOf(pipeline, "main").state, "nothing failed").toBe("connected");
    await pass(rig, MINUTE);
    expect(statusOf(pipeline, "main").lastError).toMatchObject({ code: "CHANNEL_SILENT", hint: expect.stringContaining("proxy") });
    await passUntil(rig, () => answers(main).length === 2, "the second answer");
    says(main, rig, "three");
    await answered(main, "one", "two", "three");
    await waitUntil(() => statusOf(pipeline, "main").state === "connected", "it is connected again");
  });
});

describe("a poller that is deaf for 40 minutes", () => {
  beforeEach(async () => {
    rig = await twoAccounts();
  });

  it("is told to the owner, holds up nobody else, and answers what waited once it hears", async () => {
    const { main, other, pipeline } = rig;
    main.faults.add({ kind: "hold-before", method: "getUpdates" });
    await pass(rig, 30 * SECOND); // the poll that was open comes back
    says(main, rig, "anybody there?");
    const others: string[] = [];
    for (let minute = 0; minute < 40; minute += 10) {
      await pass(rig, 10 * MINUTE);
      others.push(`minute ${minute}`);
      says(other, rig, others.at(-1)!);
      await answered(other, ...others);
      expect(answers(main)).toEqual([]);
    }
    expect(["deaf", "starting"]).toContain(statusOf(pipeline, "main").state);
    expect(statusOf(pipeline, "main").lastError?.code).toBe("CHANNEL_SILENT");
    expect(statusOf(pipeline, "other")).toMatchObject({ state: "connected", lastError: null });
    await waitUntil(() => answers(other, OWNER.userId).length > 0, "the owner is told");
    expect(answers(other, OWNER.userId)).toEqual([expect.stringContaining("telegram:main needs you")]);
    main.faults.clear();
    await passUntil(rig, () => answers(main).length > 0, "an answer");
    await answered(main, "anybody there?");
  });
});

describe("a conflict (409)", () => {
  beforeEach(async () => {
    rig = await twoAccounts();
  });

  it("is told with its cause, to the owner too once it lasts, and ends by itself", async () => {
    const { main, other, pipeline } = rig;
    const call = (method: string) => fetch(`${main.apiRoot}/bot${main.token}/${method}`);
    await call("setWebhook?url=https://example.org/hook");
    await waitUntil(() => statusOf(pipeline, "main").state === "deaf", "it is deaf");
    expect(statusOf(pipeline, "main").lastError).toMatchObject({
      code: "CHANNEL_CONFLICT",
      hint: expect.stringContaining("deleteWebhook"),
    });
    says(main, rig, "hello");
    says(other, rig, "hello");
    await answered(other, "hello");
    expect(answers(other, OWNER.userId)).toEqual([]);
    await passUntil(rig, () => answers(other, OWNER.userId).length > 0, "the owner is told");
    expect(answers(other, OWNER.userId)[0]).toContain("telegram:main needs you");
    await pass(rig, 20 * MINUTE);
    expect(answers(other, OWNER.userId)).toHaveLength(1);
    await call("deleteWebhook");
    await passUntil(rig, () => answers(main).length > 0, "an answer");
    expect(statusOf(pipeline, "main").state).toBe("connected");
    await answered(main, "hello");
  });
});

describe("a wall clock that jumps by an hour", () => {
  beforeEach(async () => {
    rig = await twoAccounts();
  });

  it.each([
    ["forward", HOUR],
    ["back", -HOUR],
  ])("%s changes nothing", async (_way, jump) => {
    const { main, pipeline, setSkew, virtual } = rig;
    main.faults.add({ kind: "429", method: "sendMessage", retryAfter: 30, times: 1 });
    says(main, rig, "before");
    await waitUntil(() => main.audit.calls("sendMessage").length === 1, "the answer is refused for now");
    await virtual.waiting((ms) => ms === 30_000);
    setSkew(jump);
    const calls = main.audit.calls("getMe").length;
    await virtual.advance(29_000);
    expect(answers(main), "not before its time").toEqual([]);
    await virtual.advance(1000);
    await answered(main, "before");
    says(main, rig, "after");
    await answered(main, "before", "after");
    expect(statusOf(pipeline, "main").state).toBe("connected");
    expect(main.audit.calls("getMe").length, "no connection was made anew").toBe(calls);
  });
});

describe("a gap of days", () => {
  it("is caught up with: old messages are kept and not answered, recent ones are answered in order", async () => {
    rig = await twoAccounts();
    const { main, pipeline } = rig;
    await main.stop();
    for (const [text, ageHours] of [
      ["three days old", 72],
      ["a night old", 7],
      ["five hours old", 5],
      ["an hour old", 1],
      ["new", 0],
    ] as const) {
      says(main, rig, text, rig.clock.now() - ageHours * HOUR);
    }
    await main.start();
    await passUntil(rig, () => answers(main).length >= 3, "three answers");
    await answered(main, "five hours old", "an hour old", "new");
    const { messages } = await pipeline.counts();
    expect(messages.dispositions).toEqual({ stale: 2, replied: 3 });
    const history = await rig.store.read((tx) =>
      tx.execute<{ text: string }>({ sql: "select text from messages where direction = 'in' order by rowid", parameters: [] }),
    );
    expect(history.map(({ text }) => text)).toContain("three days old");
  });
});
