import { callTool, createGate, createScriptedModel, hold, say } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { fakeConfig } from "../../packages/core/src/fake-config.ts";
import { fakeMessage, GROUP } from "../../packages/core/src/fake-message.ts";
import { findInboundById } from "../../packages/core/src/store/inbox.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { type SpineRig, spineRig } from "./spine-rig.ts";

const bob = { id: "bob", name: "Bob", isBot: false, isSelf: false };
const inTeam = { conversation: GROUP };
const meant = { ...inTeam, mentions: { bot: true, others: [] } };
const team = { allowFrom: ["ann", "bob"] };
const withTeam = (group = {}, account = {}) => fakeConfig({ account: { ...account, groups: { team: { ...team, ...group } } } });

const promptOf = (rig: SpineRig, index: number): string =>
  rig.model.requests[index]!.messages.findLast(({ role }) => role === "user")!.text;

async function says(rig: SpineRig, over: Parameters<SpineRig["hears"]>[0]) {
  const { id } = await rig.hears(over);
  await rig.rests();
  const { disposition, decisions } = await rig.explain(id);
  return { id, disposition, last: decisions.at(-1)! };
}

/** A rig whose agent is about to answer a first message. */
async function whileAnswering() {
  const model = createScriptedModel();
  const gate = createGate();
  model.next(hold(gate), say("one"));
  const rig = await spineRig({ model });
  await rig.hears({ text: "first" });
  await gate.reached;
  return { rig, gate };
}

describe("what a group says without the bot", () => {
  it("is given once, with senders, before the next answered message", async () => {
    const rig = await spineRig({ config: withTeam() });
    expect((await says(rig, { ...inTeam, text: "the train is late" })).disposition).toBe("not-mentioned");
    await says(rig, { ...inTeam, text: "by how much?", sender: bob });
    await says(rig, { ...meant, text: "what now?" });
    expect(promptOf(rig, 0)).toBe(
      [
        "(Before this message, and not to you:)",
        '"Ann" says:\nthe train is late',
        '"Bob" says:\nby how much?',
        "(And this is to you:)",
        '"Ann" says:\nwhat now?',
      ].join("\n\n"),
    );
    await says(rig, { ...meant, text: "and then?" });
    expect(promptOf(rig, 1)).toBe('"Ann" says:\nand then?');
    // It is in the conversation's memory, in one message of one person.
    expect(rig.model.requests[1]!.messages.filter(({ role, text }) => role === "user" && text.includes("train is late"))).toHaveLength(1);
  });

  it("is given also when the answer to it was stopped or died with the gateway, and then once", async () => {
    const folder = tempFolder();
    const model = createScriptedModel();
    const gate = createGate();
    model.next(hold(gate), say("never"));
    const rig = await spineRig({ config: withTeam(), folder, model });
    await says(rig, { ...inTeam, text: "the train is late" });
    await rig.hears({ ...meant, text: "what now?" });
    await gate.reached;
    await rig.stop();
    const again = await spineRig({ config: withTeam(), folder, clock: rig.clock, fake: rig.fake, seed: 2 });
    await again.rests();
    expect(promptOf(again, 0)).toContain("the train is late");
    await says(again, { ...meant, text: "and then?" });
    expect(promptOf(again, 1)).not.toContain("the train is late");
  });

  it("is given later when it was said before a message that joined a running turn", async () => {
    const model = createScriptedModel();
    const gate = createGate();
    model.next(hold(gate), callTool("now"));
    const config = fakeConfig({ account: { groups: { team } }, messages: { queue: { mode: "steer", cap: 20 } } });
    const rig = await spineRig({ config, model });
    await rig.hears({ ...meant, text: "what now?" });
    await gate.reached;
    await rig.hears({ ...inTeam, text: "the train is late" });
    const joined = await rig.hears({ ...meant, text: "and then?" });
    gate.open();
    await rig.rests();
    expect((await rig.explain(joined.id)).decisions.at(-1)).toMatchObject({ code: "steered" });
    await says(rig, { ...meant, text: "well?" });
    expect(promptOf(rig, 2)).toContain("the train is late");
    expect(promptOf(rig, 2)).not.toContain("and then?");
  });

  it("is bounded, as the group says", async () => {
    const rig = await spineRig({ config: withTeam({ historyLimit: 2 }) });
    for (const text of ["one", "two", "three"]) await says(rig, { ...inTeam, text });
    await says(rig, { ...meant, text: "now" });
    expect(promptOf(rig, 0)).not.toContain("one");
    expect(promptOf(rig, 0)).toContain("two");
    const none = await spineRig({ config: withTeam({ historyLimit: 0 }) });
    await says(none, { ...inTeam, text: "one" });
    await says(none, { ...meant, text: "now" });
    expect(promptOf(none, 0)).toBe('"Ann" says:\nnow');
  });

  it("is told as it is now: what was changed since, and nothing that was deleted", async () => {
    const rig = await spineRig({ config: withTeam() });
    await says(rig, { ...inTeam, id: "g1", text: "old words" });
    await says(rig, { ...inTeam, id: "g2", text: "a secret" });
    await says(rig, { ...inTeam, kind: "edit", id: "g1", eventId: "1", text: "new words" });
    await says(rig, { ...inTeam, kind: "delete", id: "g2", eventId: "2", text: "" });
    await says(rig, { ...meant, text: "now" });
    expect(promptOf(rig, 0)).toContain('"Ann" says:\nnew words');
    expect(promptOf(rig, 0)).not.toMatch(/old words|secret/);
  });
});

describe("an edit", () => {
  it("of a message that still waits takes the place of its words", async () => {
    const { rig, gate } = await whileAnswering();
    const { id } = await rig.hears({ id: "m2", text: "helo" });
    const edit = await rig.hears({ kind: "edit", id: "m2", eventId: "1", text: "hello" });
    // The platform says it again, late.
    await rig.hears({ kind: "edit", id: "m2", eventId: "1", text: "hello" });
    gate.open();
    await rig.rests();
    expect(promptOf(rig, 1)).toBe("hello");
    expect((await rig.explain(id)).disposition).toBe("replied");
    const explained = await rig.explain(edit.id);
    expect(explained.disposition).toBe("merged");
    expect(explained.decisions.at(-1)!.why).toContain(id);
  });

  it("of an answered one is context, and told with the next message", async () => {
    const rig = await spineRig();
    await says(rig, { id: "m1", text: "helo" });
    expect((await says(rig, { kind: "edit", id: "m1", eventId: "1", text: "hello" })).disposition).toBe("context");
    expect(rig.model.requests).toHaveLength(1);
    await says(rig, { text: "well?" });
    expect(promptOf(rig, 1)).toContain('"Ann" changed an earlier message to:\nhello');
    await says(rig, { text: "again" });
    expect(promptOf(rig, 2)).toBe("again");
  });
});

describe("a deletion", () => {
  it("of a message that still waits ends it without an answer", async () => {
    const { rig, gate } = await whileAnswering();
    const { id } = await rig.hears({ id: "m2", text: "never mind" });
    const deletion = await rig.hears({ kind: "delete", id: "m2", eventId: "1", text: "" });
    gate.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual(["one"]);
    expect((await rig.explain(id)).disposition).toBe("aborted");
    expect((await rig.explain(deletion.id)).disposition).toBe("context");
  });

  it("of one that waits for its place among the running turns does so too", async () => {
    const model = createScriptedModel();
    const gate = createGate();
    model.next(hold(gate), say("one"));
    const config = fakeConfig({
      gateway: { host: "127.0.0.1", port: 0, allowedHosts: [], maxConcurrentTurns: 1 },
      account: { allowFrom: ["ann", "bob"] },
    });
    const rig = await spineRig({ model, config });
    await rig.hears({ text: "first" });
    await gate.reached;
    const ofBob = { conversation: { ...fakeMessage().conversation, id: "bob" }, sender: bob };
    const { id } = await rig.hears({ ...ofBob, id: "b1", text: "never mind" });
    await rig.hears({ ...ofBob, kind: "delete", id: "b1", eventId: "1", text: "" });
    gate.open();
    await rig.rests();
    expect(rig.fake.texts()).toEqual(["one"]);
    expect(await rig.store.read((tx) => findInboundById(tx, id))).toMatchObject({ disposition: "aborted" });
  });
});

describe("a reaction", () => {
  const reaction = { kind: "reaction", id: "1001", eventId: "r1", text: "👍", anchor: { kind: "reaction", messageId: "1001" } } as const;

  it("is context unless the account says otherwise", async () => {
    const rig = await spineRig();
    await says(rig, { text: "hello" });
    expect(await says(rig, reaction)).toMatchObject({ disposition: "context" });
    expect(rig.model.requests).toHaveLength(1);
  });

  it("to a message of the bot's is answered where it does, and nobody sees it type", async () => {
    const rig = await spineRig({ config: fakeConfig({ account: { reactions: true } }) });
    await says(rig, { id: "m1", text: "hello" });
    const typed = rig.fake.typings();
    expect(await says(rig, reaction)).toMatchObject({ disposition: "replied" });
    expect(promptOf(rig, 1)).toContain('(reacted to your earlier message with "👍")');
    expect(rig.fake.typings()).toBe(typed);
    // One to a person's own message is not for the bot; neither is one that was taken back.
    expect(await says(rig, { ...reaction, id: "m1", eventId: "r2", anchor: { kind: "reaction", messageId: "m1" } })).toMatchObject({
      disposition: "context",
    });
    expect(await says(rig, { ...reaction, eventId: "r3", text: "" })).toMatchObject({ disposition: "context" });
  });
});

describe("another bot", () => {
  const robot = { id: "ann", name: "Robot", isBot: true, isSelf: false };

  it("is not heard unless the account allows it", async () => {
    const rig = await spineRig();
    expect(await says(rig, { sender: robot, text: "beep" })).toMatchObject({
      disposition: "ignored",
      last: { code: "other-bot", path: "channels.fake.accounts.main.allowBots" },
    });
    expect(rig.model.requests).toEqual([]);
  });

  it("that goes on and on is not answered until it is calmer, and the log says so once", async () => {
    const rig = await spineRig({ config: fakeConfig({ account: { allowBots: true } }) });
    const ends: string[] = [];
    for (let n = 0; n < 25; n += 1) ends.push((await says(rig, { sender: robot, text: `beep ${n}` })).disposition!);
    expect(ends.filter((end) => end === "replied")).toHaveLength(20);
    expect(ends.slice(20)).toEqual(Array.from({ length: 5 }, () => "ignored"));
    expect(rig.logs().match(/a bot sends too much/g)).toHaveLength(1);
    await rig.clock.advance(60_000);
    expect((await says(rig, { sender: robot, text: "boop" })).disposition).toBe("replied");
  });
});
