import { GatewayError, type ModelStep, silentLogger, type StoreTx } from "@trunkline/plugin-sdk";
import { createTextTool, createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { DIRECT } from "../fake-message.ts";
import { faultyStore, tempStore } from "../fake-store.ts";
import { saveStep, stepsOfTurn } from "../store/steps.ts";
import { OUTCOME_UNKNOWN } from "./agent-journal.ts";
import { NO_PAST, readPast } from "./records.ts";
import { createTurnJournal } from "./turn-journal.ts";

const STEP: ModelStep = {
  model: "script/one",
  message: {
    role: "assistant",
    text: "Let me see.",
    toolCalls: [{ id: "c1", name: "charge", args: "{}" }],
    opaque: { model: "script/one", data: [1] },
  },
  usage: { inputTokens: 3, outputTokens: 2 },
};
const call = (name: string, id = "c1") => ({ id, name, args: '{"text":"5"}' });

async function rig() {
  const store = faultyStore(await tempStore());
  const ran: string[] = [];
  const charge = (idempotent: boolean) =>
    createTextTool(
      "charge",
      async ({ text }, { signal }) => {
        ran.push(text);
        signal.throwIfAborted();
        return `charged ${ran.length}`;
      },
      { idempotent },
    );
  const controller = new AbortController();
  const start = async (first = false, { idempotent = false, instructions = "Be brief." } = {}) => {
    const journal = createTurnJournal("tn_1", first ? NO_PAST : await readPast(store, "tn_1"), { store, logger: silentLogger });
    const agent = journal.forAgent({
      models: ["script/one"],
      messages: [{ role: "system", text: instructions }],
      tools: [charge(idempotent) as never],
      context: { clock: createVirtualClock(), conversation: DIRECT, agent: "aria", signal: controller.signal },
      logger: silentLogger,
    });
    return { ...journal, ...agent };
  };
  const rows = () => store.read((tx) => stepsOfTurn(tx, "tn_1"));
  const commit = (unit: (tx: StoreTx) => Promise<unknown>) => store.write(unit, "durable");
  return { store, ran, controller, start, rows, commit };
}

describe("the journal of a turn", () => {
  it("gives a step and a tool's result again, once, as they were", async () => {
    const { start, ran, rows, commit } = await rig();
    const first = await start(true);
    expect(first.replay()).toBeUndefined();
    first.record(STEP);
    const result = await first.callTool(call("charge"));
    expect(result).toEqual({ text: "charged 1", isError: false });
    expect(first.resumption()).toBeUndefined();
    await commit(async () => {}); // what is lazy goes along
    const second = await start();
    expect(second.replay()).toEqual(STEP);
    expect(second.replay()).toBeUndefined();
    expect(await second.callTool(call("charge"))).toEqual(result);
    expect(ran).toEqual(["5"]);
    expect(second.resumption()?.why).toBe("taken from an earlier start (model steps: 1, tool results: 1)");
    expect(await second.callTool(call("charge"))).toEqual({ text: "charged 2", isError: false });
    await commit(second.erase);
    expect(await rows()).toEqual([]);
  });

  it("writes before a tool runs that it is about to, unless the tool is idempotent", async () => {
    const { start, store, rows, ran } = await rig();
    const before = store.stats().commits.durable;
    await (await start(true, { idempotent: true })).callTool(call("charge"));
    expect(store.stats().commits.durable).toBe(before);
    await (await start(true)).callTool(call("charge", "c2"));
    expect(store.stats().commits.durable).toBe(before + 1);
    expect(ran).toHaveLength(2);
    expect(await rows()).toMatchObject([{ kind: "tool" }]);
  });

  it.each([
    ["tells that the outcome of a call that was cut short is unknown", false, 0],
    ["makes a call that was cut short again when the tool is idempotent", true, 1],
  ])("%s", async (_, idempotent, runs) => {
    const { start, commit, rows, ran } = await rig();
    const first = await start(true);
    const [gone] = await Promise.allSettled([first.callTool(call("charge")), commit(async () => {})]);
    expect(gone.status).toBe("fulfilled");
    ran.length = 0;
    await commit(async (tx) => {
      const [row] = await stepsOfTurn(tx, "tn_1");
      await saveStep(tx, { ...row!, state: "intended", resultJson: null });
    });
    const second = await start(false, { idempotent });
    const result = await second.callTool(call("charge"));
    expect(ran).toHaveLength(runs);
    expect(result).toEqual(idempotent ? { text: "charged 1", isError: false } : OUTCOME_UNKNOWN);
    // Also at the next start.
    await commit(async () => {});
    expect(await rows()).toHaveLength(1);
    expect(await (await start()).callTool(call("charge"))).toEqual(result);
    expect(ran).toHaveLength(runs);
  });

  it("lets no tool run whose intention, or a step before it, could not be stored", async () => {
    const { start, store, ran } = await rig();
    const journal = await start(true);
    store.failWrites(1);
    await expect(journal.callTool(call("charge"))).rejects.toMatchObject({ code: "STORE_FAILED" });
    store.failWrites(1);
    journal.record(STEP);
    await expect(journal.callTool(call("charge"))).rejects.toBeInstanceOf(GatewayError);
    expect(ran).toEqual([]);
  });

  it("notices that it would be asked otherwise now, and goes on all the same", async () => {
    const { start, commit } = await rig();
    (await start(true)).record(STEP);
    await commit(async () => {});
    const same = await start();
    same.replay();
    expect(same.resumption()?.why).not.toContain("changed");
    const other = await start(false, { instructions: "Be long." });
    expect(other.replay()).toEqual(STEP);
    expect(other.resumption()?.why).toContain("has changed since");
  });

  it("knows the blocks of the message that is being said, and passes over those that come again", async () => {
    const { start, commit } = await rig();
    const first = await start(true);
    const block = { text: "One." };
    for (const payload of [block, block, { text: "Two." }]) {
      const place = first.takeBlock(payload);
      await commit((tx) => first.writeBlock(tx, place!));
    }
    expect(first.delivered()).toBe("");
    expect(first.blocksOfMessage()).toEqual(["One.", "One.", "Two."]);
    first.endMessage();
    expect(first.blocksOfMessage()).toEqual([]);
    const second = await start();
    expect(second.delivered()).toBe("One.\n\nOne.\n\nTwo.");
    expect([second.takeBlock({ text: "Two." }), second.takeBlock(block), second.takeBlock(block)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(second.takeBlock(block)).toBe(3);
    second.endMessage();
    expect(second.delivered()).toBe("");
  });

  it.each([
    ["{", null],
    ["[]", null],
    ["{}", null],
    [null, null],
    ['{"model":"a/b","message":{"role":"assistant"}}', null],
    ['{"model":"a/b","message":{"role":"assistant","text":"x"}}', "{"],
  ])("is unreadable as a whole when one step is %j", async (resultJson, usageJson) => {
    const { start, commit } = await rig();
    await commit((tx) => saveStep(tx, { turn: "tn_1", n: 0, kind: "model", state: "done", requestHash: "", resultJson, usageJson }));
    const journal = await start();
    expect(journal.unreadable).toBe(true);
    expect(journal.replay()).toBeUndefined();
  });
});
