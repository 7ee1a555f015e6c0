import { BUILT_IN_TOOLS } from "@trunkline/core";
import { callTool, createScriptedModel, fail, say, type ScriptStep } from "@trunkline/plugin-sdk/testing";
import { GatewayError } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../../packages/core/src/fake-channel.ts";
import { fakeAccount, fakeAgent, fakeConfig } from "../../packages/core/src/fake-config.ts";
import { DIRECT, fakeMessage } from "../../packages/core/src/fake-message.ts";
import { sqliteDatabase } from "../store/databases.ts";
import { dieAtEachPoint } from "../support/mortal-pipeline.ts";
import { type SpineRig, spineRig } from "./spine-rig.ts";

const REPORT = "The report is ready, all forty tables were checked.";
const sendIt = (args: Readonly<Record<string, unknown>> = {}) => callTool("message", { action: "send", content: REPORT, ...args });

/** What is seen where, in order. */
const seen = ({ fake }: SpineRig) => fake.visible.map(({ conversation, text }) => `${conversation.id}: ${text?.plain ?? ""}`);

async function told(rig: SpineRig, ...scripts: readonly (readonly ScriptStep[])[]): Promise<string> {
  for (const script of scripts) rig.model.next(...script);
  const { id } = await rig.hears();
  await rig.rests();
  return id;
}

describe("what a tool sent to this conversation", () => {
  it("is not said again, and the message counts as answered", async () => {
    const rig = await spineRig();
    const id = await told(rig, [sendIt()], [say(`**${REPORT}** 🎉`)]);
    expect(seen(rig)).toEqual([`ann: ${REPORT}`]);
    expect((await rig.explain(id)).disposition).toBe("replied");
    expect(JSON.stringify(await rig.explain(id))).toContain("already-sent");
  });

  it("is what people saw of it, not what stood hidden in it", async () => {
    const rig = await spineRig();
    await told(rig, [sendIt({ content: `<think>${REPORT}</think>Hello, team of mine.` })], [say(REPORT)]);
    expect(seen(rig)).toEqual(["ann: Hello, team of mine.", `ann: ${REPORT}`]);
    await told(rig, [sendIt({ content: `[[reply_to_current]]${REPORT} Twice.` })], [say(`${REPORT} Twice.\n\nMore of it.`)]);
    expect(seen(rig).slice(2)).toEqual([`ann: ${REPORT} Twice.`, "ann: More of it."]);
  });

  it("is nothing where the target has a name that the tool does not know", async () => {
    const rig = await spineRig({ config: fakeConfig({ account: { allowFrom: ["ann", "bob"] } }) });
    await told(rig, [sendIt({ target: "bob", content: "For Bob only." })], [say("That did not work.")]);
    expect(seen(rig)).toEqual(["ann: That did not work."]);
  });

  it("is left out of the beginning of an answer that says more", async () => {
    const rig = await spineRig();
    await told(rig, [sendIt()], [say(`${REPORT}\n\nShall I send it to Bob?`)]);
    expect(seen(rig)).toEqual([`ann: ${REPORT}`, "ann: Shall I send it to Bob?"]);
  });

  it("does not take away another answer, nor one that only resembles it", async () => {
    const rig = await spineRig();
    await told(rig, [sendIt()], [say("I sent it. The report is ready, all forty tables were checked. Bye.")]);
    expect(rig.fake.texts()).toHaveLength(2);
  });

  it("counts when it arrived only: a refused send takes nothing away", async () => {
    const rig = await spineRig();
    await told(rig, [sendIt({ to: "mallory" })], [say(REPORT)]);
    expect(seen(rig)).toEqual([`ann: ${REPORT}`]);
    expect(rig.model.requests[1]?.messages.at(-1)?.text).toContain("mallory");
  });

  it("comes in the order in which it was sent, and with control text it is nothing", async () => {
    const rig = await spineRig();
    await told(rig, [callTool("message", { action: "send", content: "HEARTBEAT_OK" })], [sendIt()], [say("And that is all.")]);
    expect(seen(rig)).toEqual([`ann: ${REPORT}`, "ann: And that is all."]);
  });
});

describe("what a tool sent to another conversation", () => {
  it("does not take away the answer here", async () => {
    const rig = await spineRig({ config: fakeConfig({ account: { allowFrom: ["ann", "bob"] } }) });
    await told(rig, [sendIt({ to: "bob" })], [say(REPORT)]);
    expect(seen(rig).toSorted()).toEqual([`ann: ${REPORT}`, `bob: ${REPORT}`]);
  });

  it("is not sent there for somebody who may only talk", async () => {
    const config = fakeConfig({ account: { dmPolicy: "open", allowFrom: ["*", "bob"] } });
    const rig = await spineRig({ config });
    await told(rig, [sendIt({ to: "bob" })], [say(REPORT)]);
    expect(seen(rig)).toEqual([`ann: ${REPORT}`]);
    expect(rig.model.requests[1]?.messages.at(-1)?.text).toContain("not allowed");
  });

  it("does not take it away when only the thread differs", async () => {
    const rig = await spineRig();
    await told(rig, [callTool("message", { action: "thread-reply", threadId: "t9", content: REPORT })], [say(REPORT)]);
    expect(rig.fake.visible.map(({ conversation }) => conversation.threadId).toSorted()).toEqual(["t9", undefined]);
  });
});

describe("the process dies at any commit or send of a turn whose tool sends", () => {
  it("and people see each message once", { timeout: 120_000 }, async () => {
    const database = await sqliteDatabase();
    const { store, dispose } = await database.open();
    let people = 0;
    const points = await dieAtEachPoint({
      eager: true,
      world: () => ({
        store,
        platform: createFakeChannel(),
        tools: BUILT_IN_TOOLS,
        config: fakeConfig({ account: { allowFrom: Array.from({ length: 200 }, (_, n) => `person${n}`) } }),
        model: createScriptedModel({
          otherwise: (request) => (request.messages.at(-1)?.role === "tool" ? [say(`${REPORT}\n\nAnything else?`)] : [sendIt()]),
        }),
      }),
      messages: () => {
        people += 1;
        const id = `person${people}`;
        const sender = { id, isBot: false, isSelf: false };
        return [fakeMessage({ text: "go", sender, conversation: { channel: "fake", account: "main", kind: "direct", id } })];
      },
      check: ({ world, where }) => expect(world.platform.texts(), where).toEqual([REPORT, "Anything else?"]),
    });
    expect(points.length).toBeGreaterThan(8);
    await dispose();
    await database.stop();
  });
});

describe("a prefix", () => {
  const prefixed = (over: object = {}) => fakeConfig({ messages: { responsePrefix: "{identityName} ({model}): " }, ...over });

  it("names the model that answered, once, and not before the gateway's own words", async () => {
    const agents = [fakeAgent({ model: { primary: "script/one", fallbacks: ["script/two-20260101"] } })];
    const rig = await spineRig({ config: prefixed({ agents }) });
    rig.model.next(fail(new GatewayError("MODEL_AUTH", { detail: { model: "one" } })));
    await told(rig, [say("First."), callTool("now")], [say("Second.")]);
    await rig.hears({ id: "2", text: "/whoami" });
    await rig.rests();
    expect(rig.fake.texts().slice(0, 2)).toEqual(["Aria (two): First.", "Second."]);
    expect(rig.fake.texts()[2]).not.toContain("Aria (");
    expect(rig.fake.previews.some(({ text }) => text?.plain.startsWith("Aria (two): First"))).toBe(true);
  });

  it("makes no silent answer visible", async () => {
    const rig = await spineRig({ config: prefixed() });
    await told(rig, [say("NO_REPLY")]);
    expect(rig.fake.texts()).toEqual([]);
  });
});

describe("an answer quotes what it answers", () => {
  it.each([
    ["off", [undefined, undefined]],
    ["first", ["m1", undefined]],
    ["all", ["m1", "m1"]],
  ] as const)("%s", async (mode, quotes) => {
    const rig = await spineRig({
      fake: createFakeChannel({ limit: 60 }),
      config: fakeConfig({ account: { replyToMode: { direct: mode } } }),
    });
    rig.model.next(say(`${"word ".repeat(11)}\n\n${"more ".repeat(11)}`));
    await rig.hears({ id: "m1" });
    await rig.rests();
    expect(rig.fake.visible.map(({ replyToId }) => replyToId)).toEqual(quotes);
  });

  it.each([
    ["an earlier message of the conversation", "m0", "m0"],
    ["the bot's own earlier answer", "1001", "1001"],
    ["a message of another conversation", "n0", undefined],
    ["a message that nobody knows", "4711", undefined],
    ["what is no id", "../m0", undefined],
  ])("as it says itself, whatever the mode: %s", async (_, id, quoted) => {
    const rig = await spineRig({ config: fakeConfig({ channels: { fake: { accounts: { main: fakeAccount() } } } }) });
    rig.model.next(say("first"));
    await rig.hears({ id: "m0" });
    await rig.rests();
    rig.model.next(say("elsewhere"));
    await rig.hears({ id: "n0", conversation: { ...DIRECT, id: "43" } });
    await rig.rests();
    rig.model.next(say(`[[reply_to:${id}]]ok`));
    await rig.hears({ id: "m1" });
    await rig.rests();
    expect(rig.fake.visible.at(-1)).toMatchObject({ text: { plain: "ok" } });
    expect(rig.fake.visible.at(-1)?.replyToId).toBe(quoted);
  });

  it("strictly silent answers are not seen at any moment, and others are whole", async () => {
    const messages = { silence: "strict" } as const;
    const rig = await spineRig({
      fake: createFakeChannel({ capabilities: { preview: "edit", edit: true } }),
      config: fakeConfig({ messages }),
    });
    await told(rig, [say("I have nothing to add. "), say("NO_REPLY")]);
    expect(rig.fake.attempts).toEqual([]);
    await told(rig, [say("A whole "), say("answer.")]);
    expect(rig.fake.visible.map(({ text }) => text?.plain)).toEqual(["A whole answer."]);
  });
});

describe("people who want to know are told of tools", () => {
  it.each([
    ["off", ["It is late."]],
    ["on", ["🕒 Now: Europe/Berlin", "It is late."]],
  ] as const)("%s", async (verbose, texts) => {
    const rig = await spineRig({ config: fakeConfig({ agents: [fakeAgent({ verbose })] }) });
    await told(rig, [callTool("now", { zone: "Europe/Berlin" })], [say("It is late.")]);
    expect(rig.fake.texts()).toEqual(texts);
  });
});
