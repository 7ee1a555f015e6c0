import type { AccountConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { fakeConfig } from "../fake-config.ts";
import { fakeGroupMessage, fakeMessage, NEW_YEAR } from "../fake-message.ts";
import { decideInbound, type InboundInput, type InboundVerdict, isStop, unknownAccount } from "./decide.ts";
import { fakeInbound } from "./fake-inbound.ts";

const HOUR = 60 * 60 * 1000;

interface Around {
  readonly account?: Partial<AccountConfig>;
  readonly now?: number;
  /** Sender of the turn that runs, if any. */
  readonly running?: string;
  readonly config?: Parameters<typeof fakeConfig>[0];
  readonly known?: Partial<Pick<InboundInput, "approved" | "activation">>;
}

function decide(
  message: InboundMessage,
  { account = { groups: { team: {} } }, now = NEW_YEAR, running, config = {}, known = {} }: Around = {},
): InboundVerdict {
  const runningTurn = () => (running === undefined ? undefined : { senderIds: [running], isCommand: false });
  return decideInbound(fakeInbound(message, { config: fakeConfig({ account, ...config }), now, runningTurn, ...known }));
}

const codes = ({ decisions }: InboundVerdict): readonly string[] => decisions.map(({ stage, code }) => `${stage}/${code}`);
const self = { id: "bot", isBot: true, isSelf: true };
const bot = { id: "otherbot", isBot: true, isSelf: false };
const eve = { id: "eve", name: "Eve", isBot: false, isSelf: false };
const meant = { mentions: { bot: true, others: [] } };

describe("the decisions about an inbound message", () => {
  it("queues what a listed person writes, with every decision on the way", () => {
    const verdict = decide(fakeMessage());
    expect(verdict).toMatchObject({ disposition: null, sessionKey: "agent:aria:fake:main:dm:ann", keepText: true, stops: false });
    expect(codes(verdict)).toEqual(["access/listed", "gate/direct", "route/first-agent"]);
  });

  it("drops its own messages and other bots before anything else is asked", () => {
    expect(codes(decide(fakeMessage({ sender: self })))).toEqual(["sender/own-message"]);
    const other = decide(fakeMessage({ sender: bot }));
    expect(codes(other)).toEqual(["sender/other-bot"]);
    expect(other).toMatchObject({ disposition: "ignored", sessionKey: null });
  });

  it("keeps no words of strangers and of bots", () => {
    expect(decide(fakeMessage({ sender: eve }))).toMatchObject({ disposition: "denied", keepText: false });
    expect(decide(fakeGroupMessage(), { account: {} })).toMatchObject({ disposition: "denied", keepText: false });
    expect(decide(fakeMessage({ sender: bot })).keepText).toBe(false);
  });

  it("asks for access before kind, age, stop words and emptiness", () => {
    const stranger = { sender: eve };
    for (const over of [{ kind: "edit" as const }, { sentAt: 0 }, { text: "/stop" }, { text: "" }]) {
      expect(codes(decide(fakeMessage({ ...stranger, ...over }), { running: "eve" }))).toEqual(["access/not-listed"]);
    }
  });

  it("leaves a stranger's message to pairing where the account pairs, without words; an edit, a reaction or an old one ends here", () => {
    const pairs: Around = { account: { dmPolicy: "pairing" } };
    const verdict = decide(fakeMessage({ sender: eve }), pairs);
    expect(verdict).toMatchObject({ disposition: "pairing", sessionKey: null, keepText: false, stops: false, stranger: true });
    expect(codes(verdict)).toEqual(["access/unknown-sender"]);
    expect(decide(fakeMessage({ sender: eve, kind: "edit" }), pairs)).toMatchObject({ disposition: "denied", keepText: false });
    expect(decide(fakeMessage({ sender: eve, sentAt: 0 }), pairs)).toMatchObject({ disposition: "stale", keepText: false });
    expect(decide(fakeMessage({ sender: eve, text: "/stop" }), { ...pairs, running: "eve" })).toMatchObject({ stops: false });
  });

  it("lets in whom an operator approved, and lets them stop their turn", () => {
    const approved: Around = { account: { dmPolicy: "pairing" }, running: "eve", known: { approved: true } };
    const verdict = decide(fakeMessage({ sender: eve }), approved);
    expect(verdict).toMatchObject({ disposition: null, keepText: true, stranger: false });
    expect(codes(verdict)).toEqual(["access/paired", "gate/direct", "route/first-agent"]);
    expect(decide(fakeMessage({ sender: eve, text: "stop" }), approved).stops).toBe(true);
  });

  it("counts as strangers only those whom no rule lets talk", () => {
    expect(decide(fakeMessage({ sender: eve })).stranger).toBe(true);
    expect(decide(fakeMessage()).stranger).toBe(false);
    expect(decide(fakeMessage({ sender: bot })).stranger).toBe(false);
    expect(decide(fakeGroupMessage()).stranger).toBe(false);
  });

  it("listens to every message of a group in which /activation always was chosen", () => {
    const verdict = decide(fakeGroupMessage(), { account: { groups: { team: {} } }, known: { activation: "always" } });
    expect(codes(verdict)).toEqual(["access/group-listed", "gate/activation-always", "route/first-agent"]);
    expect(verdict.disposition).toBeNull();
  });

  it.each(["edit", "reaction", "delete"] as const)("keeps a %s as context, also when it is old", (kind) => {
    const verdict = decide(fakeMessage({ kind, sentAt: 0 }));
    expect(verdict).toMatchObject({ disposition: "context", sessionKey: null, keepText: true });
    expect(codes(verdict)).toEqual(["access/listed", `kind/${kind}`]);
  });

  it("keeps but does not answer what is older than maxInboundAge", () => {
    expect(decide(fakeMessage(), { now: NEW_YEAR + 6 * HOUR }).disposition).toBeNull();
    const stale = decide(fakeMessage(), { now: NEW_YEAR + 6 * HOUR + 1 });
    expect(stale).toMatchObject({ disposition: "stale", keepText: true });
    expect(stale.decisions.at(-1)).toMatchObject({
      path: "messages.maxInboundAge",
      why: "the message was 360 minutes old when it arrived",
    });
    expect(decide(fakeMessage({ text: "stop", sentAt: 0 }), { running: "ann" }).stops).toBe(false);
  });

  it("stores an unmentioned group message as history, words included", () => {
    expect(decide(fakeGroupMessage())).toMatchObject({ disposition: "not-mentioned", keepText: true, sessionKey: null });
  });

  it("ignores a message with neither text nor media, when it is for the bot", () => {
    expect(codes(decide(fakeMessage({ text: " \n\t" })))).toEqual(["access/listed", "gate/direct", "content/empty"]);
    expect(decide(fakeMessage({ text: "", media: [{ kind: "image", url: "channel:1" }] })).disposition).toBeNull();
    expect(decide(fakeGroupMessage({ text: "" })).disposition).toBe("not-mentioned");
  });

  it("names the agent of the route when it listens for a name", () => {
    const agents = [
      { id: "aria", identity: { name: "Aria" } },
      { id: "max", identity: { name: "Max" } },
    ].map((agent) => ({ ...fakeConfig().agents.list[0]!, ...agent }));
    const config = { agents, bindings: [{ agent: "max", match: { peer: "group:team" } }] };
    expect(decide(fakeGroupMessage({ text: "Max?" }), { config }).sessionKey).toBe("agent:max:fake:main:group:team");
    expect(decide(fakeGroupMessage({ text: "Aria?" }), { config }).disposition).toBe("not-mentioned");
  });

  it("denies what comes from an account that the configuration no longer has", () => {
    expect(unknownAccount(fakeMessage())).toMatchObject({
      disposition: "denied",
      keepText: false,
      decisions: [{ path: "channels.fake.accounts.main" }],
    });
  });
});

describe("fast abort", () => {
  it("takes a bare word in a direct conversation only while a turn runs", () => {
    expect(decide(fakeMessage({ text: "stop" }), { running: "ann" })).toMatchObject({
      stops: true,
      disposition: null,
      sessionKey: "agent:aria:fake:main:dm:ann",
    });
    expect(decide(fakeMessage({ text: "stop" }))).toMatchObject({ stops: false, disposition: null });
    expect(decide(fakeMessage({ text: "please stop" }), { running: "ann" }).stops).toBe(false);
  });

  it("takes /stop at any time, the bot's own mention before it stripped", () => {
    expect(decide(fakeMessage({ text: "/stop" })).stops).toBe(true);
    expect(
      decide(fakeGroupMessage({ text: "@bot /stop", ...meant }), { account: { groups: { team: { allowFrom: ["ann"] } } } }).stops,
    ).toBe(true);
  });

  it("takes no forwarded word: whoever forwards it did not say it", () => {
    for (const text of ["stop", "/stop"])
      expect(decide(fakeMessage({ text, forwarded: { from: "Eve" } }), { running: "ann" }), text).toMatchObject({ stops: false });
  });

  const group: Around = { account: { groups: { team: { allowFrom: ["ann", "bob"] } } } };
  const bob = { id: "bob", isBot: false, isSelf: false };

  it("takes a bare word in a group from the person whose turn runs, unmentioned", () => {
    expect(decide(fakeGroupMessage({ text: "停" }), { ...group, running: "ann" }).stops).toBe(true);
  });

  it("takes it from others only as a mention or reply to the bot", () => {
    const said = { text: "stop", sender: bob };
    expect(decide(fakeGroupMessage(said), { ...group, running: "ann" })).toMatchObject({ stops: false, disposition: "not-mentioned" });
    expect(decide(fakeGroupMessage({ ...said, ...meant }), { ...group, running: "ann" }).stops).toBe(true);
    expect(decide(fakeGroupMessage({ ...said, anchor: { kind: "reply", senderIsSelf: true } }), { ...group, running: "ann" }).stops).toBe(
      true,
    );
  });

  it("takes /stop in a group from anybody authorised, mentioned or not, and from nobody else", () => {
    expect(decide(fakeGroupMessage({ text: "/stop", sender: bob }), { ...group, running: "ann" }).stops).toBe(true);
    expect(decide(fakeGroupMessage({ text: "/stop" }), { running: "ann" })).toMatchObject({ stops: false, disposition: "not-mentioned" });
    expect(decide(fakeGroupMessage({ text: "stop" }), { running: "ann" }).stops).toBe(false);
  });

  it("is recorded, so that the turn knows it later", () => {
    expect(isStop(decide(fakeMessage({ text: "/stop" })).decisions)).toBe(true);
    expect(isStop(decide(fakeMessage()).decisions)).toBe(false);
  });
});
