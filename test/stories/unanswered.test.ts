import { formatExplanation } from "@trunkline/core";
import { DISPOSITIONS, type Disposition, GatewayError } from "@trunkline/plugin-sdk";
import { createGate, createScriptedModel, fail, hang, hold, say } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { fakeAgent, fakeConfig } from "../../packages/core/src/fake-config.ts";
import { fakeMessage, GROUP } from "../../packages/core/src/fake-message.ts";
import { type SpineRig, spineRig } from "./spine-rig.ts";

const eve = { id: "eve", name: "Eve", isBot: false, isSelf: false };
const withGroup = fakeConfig({ account: { groups: { team: { requireMention: false } } } });

describe("no model is asked when", () => {
  it.each([
    ["the text is empty and there is no file", fakeConfig(), { text: " \n " }, "ignored"],
    ["the sender may not use the command", withGroup, { text: "/status", conversation: GROUP, sender: eve }, "denied"],
    ["a command answers the whole message", fakeConfig(), { text: "/whoami" }, "command"],
    ["it stops what runs", fakeConfig(), { text: "/stop" }, "command"],
    ["the sender may not talk here", fakeConfig(), { text: "hello", sender: eve }, "denied"],
    ["nobody meant the bot", fakeConfig({ account: { groups: { team: {} } } }), { text: "hello", conversation: GROUP }, "not-mentioned"],
  ] as const)("%s", async (_when, config, message, disposition) => {
    const rig = await spineRig({ config });
    const { id } = await rig.hears(message);
    await rig.rests();
    expect((await rig.explain(id)).disposition).toBe(disposition);
    expect(rig.model.requests).toEqual([]);
  });

  it("the message came before", async () => {
    const rig = await spineRig();
    const message = fakeMessage({ sentAt: rig.clock.now() });
    for (let n = 0; n < 3; n += 1) await rig.pipeline.receive([message]);
    await rig.rests();
    expect(rig.model.requests).toHaveLength(1);
    expect((await rig.pipeline.counts()).messages).toMatchObject({ accepted: 1, duplicates: 2 });
  });
});

interface Row {
  readonly disposition: Disposition;
  readonly config?: Parameters<typeof fakeConfig>[0];
  /** Makes a message end so; gives its id. */
  readonly story: (rig: SpineRig) => Promise<string>;
  /** What `explain` has to say beside the outcome. */
  readonly says: readonly RegExp[];
}

const heard = async (rig: SpineRig, over: Parameters<SpineRig["hears"]>[0] = {}): Promise<string> => (await rig.hears(over)).id;

/** Ann's first message is being answered until `open`. */
async function whileBusy(rig: SpineRig): Promise<{ readonly first: string; open(): void }> {
  const gate = createGate();
  rig.model.next(hold(gate), say("one"));
  const first = await heard(rig, { text: "first" });
  await gate.reached;
  return { first, open: gate.open };
}

const queue = (mode: "collect" | "interrupt" | "drop-new") => ({ messages: { queue: { mode, cap: 20, debounceMs: 0 } } });

const ROWS: readonly Row[] = [
  {
    disposition: "replied",
    story: (rig) => heard(rig),
    says: [/script\/one answered/, /trunkline\.yaml:7 {2}channels\.fake\.accounts\.main\.allowFrom/],
  },
  {
    disposition: "silent",
    story(rig) {
      rig.model.next(say("NO_REPLY"));
      return heard(rig);
    },
    says: [/silent/],
  },
  { disposition: "command", story: (rig) => heard(rig, { text: "/whoami" }), says: [/command +whoami: \/whoami answers/] },
  { disposition: "denied", story: (rig) => heard(rig, { sender: eve }), says: [/access +not-listed/, /allowFrom/] },
  {
    disposition: "pairing",
    config: { account: { dmPolicy: "pairing", allowFrom: [] } },
    story: (rig) => heard(rig, { sender: eve, conversation: { ...fakeMessage().conversation, id: "eve" } }),
    says: [/pairing/, /dmPolicy/],
  },
  {
    disposition: "not-mentioned",
    config: { account: { groups: { team: {} } } },
    story: (rig) => heard(rig, { conversation: GROUP }),
    says: [/gate +not-mentioned: nobody mentioned the bot/, /groups\.team\.requireMention/],
  },
  {
    disposition: "merged",
    config: queue("collect"),
    async story(rig) {
      const { open } = await whileBusy(rig);
      await heard(rig, { text: "a" });
      const merged = await heard(rig, { text: "b" });
      open();
      return merged;
    },
    says: [/queue +collect: a turn of the session ran/, /messages\.queue\.mode/, /answered together with in_/],
  },
  {
    disposition: "aborted",
    async story(rig) {
      rig.model.next(hang());
      const id = await heard(rig);
      await rig.model.called(1);
      await heard(rig, { text: "/stop" });
      return id;
    },
    says: [/abort +user: the turn was stopped/],
  },
  {
    disposition: "dropped",
    config: queue("drop-new"),
    async story(rig) {
      const { open } = await whileBusy(rig);
      const dropped = await heard(rig, { text: "a" });
      open();
      return dropped;
    },
    says: [/queue +drop-new/, /messages\.queue\.mode/],
  },
  {
    disposition: "superseded",
    config: queue("interrupt"),
    async story(rig) {
      const { first } = await whileBusy(rig);
      await heard(rig, { text: "rather this" });
      return first;
    },
    says: [/abort +superseded: a later message took its place/],
  },
  {
    disposition: "failed",
    story(rig) {
      rig.model.next(fail(new GatewayError("MODEL_REFUSED", { detail: { model: "script/one" } })));
      return heard(rig);
    },
    says: [/agent +MODEL_REFUSED/],
  },
  { disposition: "ignored", story: (rig) => heard(rig, { text: "" }), says: [/content +empty/] },
  {
    disposition: "stale",
    story: (rig) => heard(rig, { sentAt: rig.clock.now() - 7 * 3_600_000 }),
    says: [/age +stale/, /messages\.maxInboundAge/],
  },
  { disposition: "context", story: (rig) => heard(rig, { kind: "edit", eventId: "1" }), says: [/kind +edit/] },
  {
    disposition: "unreadable",
    story: async (rig) => (await rig.fake.host().unreadable({ eventId: "e1", raw: {}, why: "no chat in it" })).id,
    says: [/channel +unreadable: no chat in it/],
  },
];

describe("explain says why a message was answered or not:", () => {
  it.each(ROWS)("$disposition", async ({ disposition, config, story, says }) => {
    const rig = await spineRig({ config: fakeConfig({ agents: [fakeAgent()], ...config }), model: createScriptedModel() });
    const id = await story(rig);
    await rig.rests();
    const explanation = await rig.explain(id);
    expect(explanation.disposition).toBe(disposition);
    const text = formatExplanation(explanation);
    expect(text).toContain(disposition);
    for (const one of says) expect(text).toMatch(one);
  });

  it("there is a story for every outcome that this version has", () => {
    const told = new Set(ROWS.map(({ disposition }) => disposition));
    // Only directives end as one; their stories stand with them.
    expect(DISPOSITIONS.filter((one) => !told.has(one))).toEqual(["directive"]);
  });
});
