import { GatewayError } from "@trunkline/plugin-sdk";
import { callTool, createGate, createScriptedModel, createTextTool, fail, hang, hold, say } from "@trunkline/plugin-sdk/testing";
import { expect, it } from "vitest";
import { createFakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeConfig, fakeAgent } from "../../packages/core/src/fake-config.ts";
import { DIRECT } from "../../packages/core/src/fake-message.ts";
import { rounds } from "../support/schedules/actors.ts";
import { waitUntil } from "../support/wait.ts";
import { type RigOptions, type SpineRig, spineRig } from "./spine-rig.ts";

interface Case {
  readonly where: string;
  readonly options?: () => RigOptions;
  /** Brings Ann's message there; gives its id. */
  readonly begin: (rig: SpineRig) => Promise<string>;
}

const told = async (rig: SpineRig, over: Parameters<SpineRig["hears"]>[0] = {}): Promise<string> =>
  (await rig.hears({ text: "do it", ...over })).id;

const CASES: readonly Case[] = [
  {
    where: "a model that does not say a word, and does not listen",
    async begin(rig) {
      rig.model.next(hang({ deaf: true }));
      const id = await told(rig);
      await rig.model.called(1);
      return id;
    },
  },
  {
    where: "an answer that streams",
    async begin(rig) {
      rig.model.next(say("first words, "), hang({ deaf: true }));
      const id = await told(rig);
      await rig.model.called(1);
      await rounds(5);
      return id;
    },
  },
  {
    where: "a tool that does not listen",
    options: () => ({ tools: [createTextTool("sit", () => new Promise(() => {}))] }),
    async begin(rig) {
      rig.model.next(callTool("sit"));
      const id = await told(rig);
      await rig.model.called(1);
      await rounds(20);
      return id;
    },
  },
  {
    where: "a file that does not come",
    options() {
      const fake = createFakeChannel();
      const never = (): Promise<never> => new Promise(() => {});
      return {
        fake: {
          ...fake,
          plugin: { ...fake.plugin, connect: (config, host) => ({ ...fake.plugin.connect(config, host), fetchMedia: never }) },
        },
      };
    },
    async begin(rig) {
      const id = await told(rig, { media: [{ kind: "image", url: "channel:x" }] });
      await rounds(20);
      return id;
    },
  },
  {
    where: "the pause before a failed model is asked again",
    async begin(rig) {
      rig.model.next(fail(new GatewayError("MODEL_OVERLOADED", { detail: { model: "script/one" }, retryable: true, retryAfterMs: 3000 })));
      const id = await told(rig);
      await rig.model.called(1);
      await rounds(20);
      return id;
    },
  },
  {
    where: "its place among the running turns",
    options: () => ({
      config: fakeConfig({
        gateway: { host: "127.0.0.1", port: 0, allowedHosts: [], maxConcurrentTurns: 1 },
        account: { allowFrom: ["*"], dmPolicy: "open" },
        commands: { allowFrom: ["fake:main:ann"] },
      }),
    }),
    async begin(rig) {
      rig.model.next(hang());
      await rig.hears({ conversation: { ...DIRECT, id: "bob" }, sender: { id: "bob", isBot: false, isSelf: false } });
      await rig.model.called(1);
      const id = await told(rig);
      await rounds(20);
      return id;
    },
  },
  {
    where: "an answer whose preview the platform does not take",
    options: () => ({ fake: createFakeChannel({ capabilities: { preview: "edit", edit: true } }) }),
    async begin(rig) {
      rig.fake.nextChange({ gate: createGate() });
      const [first, second] = [createGate(), createGate()];
      const more = "And so it goes on and on. ".repeat(20);
      rig.model.next(say("These are the first words of a long answer, which is shown. "), hold(first), say(more), hold(second));
      const id = await told(rig);
      await first.reached;
      await rig.clock.advance(1500);
      await waitUntil(() => rig.fake.texts().length === 1, "the preview is there");
      first.open();
      await second.reached;
      await waitUntil(async () => {
        await rig.clock.advance(500);
        return rig.fake.changes.length > 0;
      }, "the platform was asked for an edit");
      return id;
    },
  },
  {
    where: "the silence that is waited for",
    options: () => ({ config: fakeConfig({ account: { debounceMs: 30_000 } }) }),
    begin: (rig) => told(rig),
  },
  {
    where: "the queue, behind another one",
    async begin(rig) {
      const gate = createGate();
      rig.model.next(hold(gate), say("never"));
      await told(rig);
      await gate.reached;
      return told(rig, { text: "and this" });
    },
  },
];

it.each(CASES)("a stop ends a message within its second, and is answered once: $where", async ({ options, begin }) => {
  const rig = await spineRig({ config: fakeConfig({ agents: [fakeAgent()] }), model: createScriptedModel(), ...options?.() });
  const id = await begin(rig);
  const asked = rig.model.requests.length;
  await rig.hears({ text: "/stop" });
  await rig.clock.advance(1000);
  await rounds(40);
  expect(await rig.explain(id)).toMatchObject({ state: "done", disposition: "aborted" });
  expect(rig.fake.texts().filter((text) => text === "Stopped.")).toHaveLength(1);
  await rig.clock.advance(60_000);
  expect(rig.model.requests, "nothing from before the stop goes on").toHaveLength(asked);
  await rig.stop();
});
