import dns from "node:dns";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AccountState,
  type ChannelHost,
  type ConversationRef,
  GatewayError,
  type HistoryEntry,
  type InboundMessage,
  type OutboundPart,
  silentLogger,
  systemClock,
  type Transport,
} from "@trunkline/plugin-sdk";
import { createTelegramEmulator, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTelegramTransport } from "./transport.ts";

const ann = { userId: 42, firstName: "Ann" };
const never = new AbortController().signal;

/** A host that remembers what it was told. Pauses are noted and cut short. */
function createHost(signal: AbortSignal) {
  const heard = {
    received: [] as InboundMessage[],
    duplicates: 0,
    unreadable: [] as string[],
    signs: 0,
    states: [] as AccountState[],
    errors: [] as GatewayError[],
    pauses: [] as number[],
    logged: [] as string[],
    history: [] as HistoryEntry[],
    /** Timers that never fire by themselves. */
    timers: [] as (() => void)[],
    /** Runs before a batch is stored; a rejection means that nothing was. */
    beforeReceive: async (): Promise<void> => {},
  };
  const log = (fields: object, message: string): void => void heard.logged.push(JSON.stringify(fields) + message);
  const host: ChannelHost = {
    channel: "telegram",
    account: "main",
    clock: {
      ...systemClock,
      sleep(ms, until) {
        heard.pauses.push(ms);
        return systemClock.sleep(5, until);
      },
      timer(_ms, callback) {
        heard.timers.push(callback);
        return () => {};
      },
    },
    logger: { ...silentLogger, debug: log, info: log, warn: log, error: log },
    signal,
    async receive(messages) {
      await heard.beforeReceive();
      return messages.map((message) => {
        const duplicate = heard.received.some(({ id, conversation }) => id === message.id && conversation.id === message.conversation.id);
        if (duplicate) heard.duplicates += 1;
        else heard.received.push(message);
        return { id: `in_${message.id}`, duplicate };
      });
    },
    async unreadable({ eventId }) {
      heard.unreadable.push(eventId);
      return { id: `in_${eventId}`, duplicate: false };
    },
    alive: () => void (heard.signs += 1),
    report(state, error) {
      heard.states.push(state);
      if (error !== undefined) heard.errors.push(error);
    },
    history: async () => heard.history,
    message: async () => undefined,
    saveMedia: async () => ({ id: "", size: 0 }),
    openMedia: async () => undefined,
    memory: { get: async () => undefined, set: async () => {} },
  };
  return { host, heard };
}

let emulator: TelegramEmulator;
let account: AbortController;
let host: ChannelHost;
let heard: ReturnType<typeof createHost>["heard"];
let transport: Transport;
let parts = 0;

beforeEach(async () => {
  emulator = await createTelegramEmulator({ botUsername: "my_bot" });
  account = new AbortController();
  ({ host, heard } = createHost(account.signal));
  transport = connect();
});

afterEach(async () => {
  account.abort();
  emulator.faults.clear();
  await transport.stop();
  await emulator.close();
});

const connect = (token = emulator.token, apiRoot = emulator.apiRoot): Transport =>
  createTelegramTransport({ token, apiRoot, mode: "polling" }, host);
const until = <T>(check: () => T): Promise<T> => vi.waitFor(check, { timeout: 10_000, interval: 5 });
const saw = (...texts: string[]) => until(() => expect(heard.received.map(({ text }) => text)).toEqual(texts));
const inState = (state: AccountState) => until(() => expect(heard.states.at(-1)).toBe(state));
const call = (method: string, query = "") => fetch(`${emulator.apiRoot}/bot${emulator.token}/${method}?${query}`);
const rendered = (text: string): NonNullable<OutboundPart["text"]> => ({ text, entities: [], length: text.length, plain: text });
const part = (conversation: ConversationRef, fields: Partial<OutboundPart> = {}): OutboundPart => ({
  id: `ob_${(parts += 1)}`,
  key: "k",
  conversation,
  text: rendered("answer"),
  ...fields,
});
const direct: ConversationRef = { channel: "telegram", account: "main", kind: "direct", id: "42" };
const team: ConversationRef = { channel: "telegram", account: "main", kind: "group", id: "-1001234567890" };
const openTeam = (forum = false) => emulator.group({ id: Number(team.id), title: "Team", supergroup: true, forum });
const refusal = async (promise: Promise<unknown>): Promise<GatewayError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof GatewayError)) throw new Error(`no GatewayError: ${String(error)}`);
  return error;
};

describe("starting an account", () => {
  it("connects and hears what was said before and after", async () => {
    const chat = emulator.privateChat(ann);
    emulator.send(chat, ann, { text: "before" });
    await transport.start();
    await saw("before");
    emulator.send(chat, ann, { text: "after" });
    await saw("before", "after");
    expect(heard.received[0]).toMatchObject({ conversation: direct, sender: { id: "42", name: "Ann" } });
    expect(heard.states).toEqual(["connected"]);
  });

  it("with a refused token says where to get another, and never prints it", async () => {
    const token = "7000000001:a-token-that-nobody-knows-any-more";
    transport = connect(token);
    const error = await refusal(transport.start());
    expect(error).toMatchObject({
      code: "CHANNEL_TOKEN_REJECTED",
      retryable: false,
      hint: expect.stringContaining("@BotFather") as string,
    });
    expect(JSON.stringify([error, error.message, String(error.cause), heard.logged])).not.toContain(token);
  });

  it("during an outage can be tried again", async () => {
    await emulator.stop();
    expect(await refusal(transport.start())).toMatchObject({ code: "CHANNEL_UNREACHABLE", retryable: true });
    await emulator.start();
    await transport.start();
    await inState("connected");
  });

  it("twice polls once", async () => {
    await Promise.all([transport.start(), transport.start()]);
    emulator.send(emulator.privateChat(ann), ann, { text: "hi" });
    await saw("hi");
    expect(emulator.audit.calls("getMe")).toHaveLength(1);
    expect(heard.errors).toEqual([]);
  });
});

describe("confirming updates", () => {
  it("waits until they are stored", async () => {
    const gates: (() => void)[] = [];
    heard.beforeReceive = () => new Promise((resolve) => void gates.push(resolve));
    emulator.send(emulator.privateChat(ann), ann, { text: "hold on" });
    const started = transport.start();
    await until(() => expect(gates).toHaveLength(1));
    expect(emulator.audit.calls("getUpdates")).toHaveLength(1);
    expect(emulator.pendingUpdates).toBe(1);
    gates[0]?.();
    await started; // up means that what waited is stored
    expect(heard.received.map(({ text }) => text)).toEqual(["hold on"]);
    await until(() => expect(emulator.pendingUpdates).toBe(0));
  });

  it("does not happen when they could not be stored: they come again", async () => {
    let refusals = 3;
    heard.beforeReceive = async () => {
      if ((refusals -= 1) >= 0) throw new GatewayError("STORE_FULL", { detail: { path: "/data" } });
    };
    const chat = emulator.privateChat(ann);
    emulator.send(chat, ann, { text: "one" });
    await transport.start();
    await inState("backing-off");
    expect(emulator.pendingUpdates).toBe(1);
    expect(heard.errors[0]?.code).toBe("STORE_FULL");
    await saw("one");
    await inState("connected");
    await until(() => expect(emulator.pendingUpdates).toBe(0));
    expect(heard.states).toEqual(["backing-off", "connected"]);
  });

  it("goes on behind an update that cannot be read, and behind kinds nobody asked for", async () => {
    const chat = emulator.privateChat(ann);
    const broken = emulator.injectUpdate({ message: { message_id: "seven", text: { nested: true } } });
    emulator.injectUpdate({ brand_new_kind: { id: 1 } });
    emulator.send(chat, ann, { text: "fine" });
    await transport.start();
    await saw("fine");
    expect(heard.unreadable).toEqual([String(broken.update_id)]);
    await until(() => expect(emulator.pendingUpdates).toBe(0));
  });

  it("survives duplicates, which the inbox knows", async () => {
    emulator.faults.add({ kind: "duplicate-updates" });
    const chat = emulator.privateChat(ann);
    await transport.start();
    for (const text of ["1", "2", "3", "4", "5"]) {
      emulator.send(chat, ann, { text });
      await until(() => expect(heard.received.at(-1)?.text).toBe(text));
    }
    await until(() => expect(emulator.pendingUpdates).toBe(0));
    expect(heard.received).toHaveLength(5);
    expect(heard.duplicates).toBeGreaterThan(0);
  });
});

describe("an account in trouble", () => {
  it("recovers when the platform was away, and misses nothing", async () => {
    const chat = emulator.privateChat(ann);
    await transport.start();
    await inState("connected");
    await emulator.stop();
    await inState("backing-off");
    emulator.send(chat, ann, { text: "while away" });
    await emulator.start();
    await saw("while away");
    await inState("connected");
    expect(heard.errors.map(({ code }) => code)).toEqual(["CHANNEL_UNREACHABLE"]);
  });

  it("is deaf while another program polls, and hears again when that ends", async () => {
    await transport.start();
    await inState("connected");
    await until(async () => {
      await call("getUpdates");
      expect(heard.states.at(-1)).toBe("deaf");
    });
    expect(heard.errors[0]).toMatchObject({ code: "CHANNEL_CONFLICT", detail: { cause: "second poller" } });
    await until(() => expect(heard.pauses).not.toEqual([]));
    expect(heard.states.at(-1)).toBe("deaf");
    emulator.send(emulator.privateChat(ann), ann, { text: "back" });
    await saw("back");
    await inState("connected");
  });

  it("says which name cannot be resolved, and gets well when it can", async () => {
    const lookup = vi
      .spyOn(dns, "lookup")
      .mockImplementation(((host: string, _options: unknown, told: (error: Error) => void) =>
        told(
          Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND", syscall: "getaddrinfo", hostname: host }),
        )) as never);
    const { port } = new URL(emulator.apiRoot);
    transport = connect(emulator.token, `http://localhost:${port}`);
    const error = await refusal(transport.start());
    expect(error).toMatchObject({ code: "CHANNEL_UNREACHABLE", retryable: true, detail: { host: `localhost:${port}` } });
    expect(error.hint).toContain("The name localhost cannot be resolved (ENOTFOUND)");
    lookup.mockRestore();
    await transport.stop();
    transport = connect();
    await transport.start();
    await inState("connected");
  });

  it("is deaf while a webhook is set, says so, and does not remove what somebody set", async () => {
    await call("setWebhook", "url=https://example.org/hook");
    await transport.start();
    await inState("deaf");
    expect(heard.errors[0]).toMatchObject({ code: "CHANNEL_CONFLICT", detail: { cause: "webhook" } });
    expect(emulator.audit.calls("deleteWebhook")).toEqual([]);
    await call("deleteWebhook");
    await inState("connected");
    expect(heard.states).toEqual(["deaf", "connected"]);
  });

  it("stops when its token is revoked, and can be started again", async () => {
    await transport.start();
    await inState("connected");
    const revoked = emulator.faults.add({ kind: "5xx-before", method: "getUpdates", code: 401 });
    emulator.send(emulator.privateChat(ann), ann, { text: "hi" });
    await inState("needs-operator");
    expect(heard.errors[0]?.code).toBe("CHANNEL_TOKEN_REJECTED");
    const polls = emulator.audit.calls("getUpdates").length;
    revoked.remove();
    await transport.start();
    await inState("connected");
    await saw("hi");
    expect(emulator.audit.calls("getUpdates").length).toBeGreaterThan(polls);
  });

  it("waits as long as a rate limit asks", async () => {
    emulator.faults.add({ kind: "429", method: "getUpdates", retryAfter: 70, times: 1 });
    await transport.start();
    await inState("connected");
    expect(heard.pauses).toEqual([70_000]);
    expect(heard.errors[0]).toMatchObject({ code: "CHANNEL_UNREACHABLE", hint: expect.stringContaining("70 s") as string });
  });

  it("pauses longer and longer, but never over a minute", async () => {
    emulator.faults.add({ kind: "5xx-before", method: "getUpdates", times: 9 });
    await transport.start();
    await inState("connected");
    expect(heard.pauses).toHaveLength(9);
    expect(heard.pauses[0]).toBeLessThanOrEqual(1000);
    expect(heard.pauses[8]).toBeGreaterThanOrEqual(30_000);
    expect(Math.max(...heard.pauses)).toBeLessThanOrEqual(60_000);
    expect(heard.states).toEqual(["backing-off", "connected"]);
  });
});

describe("stopping", () => {
  it("ends the poll, so that the next start does not conflict with it", async () => {
    await transport.start();
    await inState("connected");
    for (let round = 0; round < 3; round += 1) {
      await transport.stop();
      await transport.start();
    }
    emulator.send(emulator.privateChat(ann), ann, { text: "hi" });
    await saw("hi");
    expect(heard.errors).toEqual([]);
  });

  it("lets a send on its way finish", async () => {
    emulator.privateChat(ann);
    const order: string[] = [];
    const fault = emulator.faults.add({ kind: "hold-after", method: "sendMessage" });
    const sending = transport.send(part(direct), never).finally(() => order.push("sent"));
    await fault.held();
    const stopping = transport.stop().then(() => order.push("stopped"));
    fault.release();
    await stopping;
    expect(order).toEqual(["sent", "stopped"]);
    expect((await sending).messageId).toBe(String(emulator.audit.visibleFromBot()[0]?.messageId));
  });

  it("does not wait for ever: a send that hangs is cut, with unknown outcome", async () => {
    emulator.privateChat(ann);
    const fault = emulator.faults.add({ kind: "hold-after", method: "sendMessage" });
    const sending = refusal(transport.send(part(direct), never));
    await fault.held();
    const stopping = transport.stop();
    heard.timers.at(-1)?.();
    await stopping;
    expect((await sending).code).toBe("DELIVERY_OUTCOME_UNKNOWN");
  });
});

describe("sending", () => {
  it("shows text with its entities, as an answer, in its topic", async () => {
    const forum = openTeam(true);
    const { messageId } = emulator.send(forum, ann, { text: "question", threadId: 285 });
    const conversation = { ...team, threadId: "285" };
    const text = { ...rendered("bold answer"), entities: [{ type: "bold", offset: 0, length: 4 }] as const };
    const receipt = await transport.send(part(conversation, { text, replyToId: String(messageId) }), never);
    expect(emulator.audit.visibleFromBot()).toMatchObject([
      {
        threadId: 285,
        messageId: Number(receipt.messageId),
        text: "bold answer",
        replyTo: messageId,
        entities: [{ type: "bold", offset: 0, length: 4 }],
      },
    ]);
    expect(receipt.at).toBeGreaterThan(1_700_000_000_000);
  });

  it("works in the topic General, where the platform refuses its id", async () => {
    openTeam(true);
    await transport.send(part({ ...team, threadId: "1" }), never);
    expect(emulator.audit.visibleFromBot(Number(team.id))).toHaveLength(1);
  });

  it("does not depend on the message that it answers", async () => {
    emulator.privateChat(ann);
    await transport.send(part(direct, { replyToId: "123456" }), never);
    expect(emulator.audit.visibleFromBot()).toHaveLength(1);
  });

  it("follows a group that became a supergroup, at once and from then on", async () => {
    const old = emulator.group({ id: -77, title: "Small" });
    emulator.migrate(old, Number(team.id));
    const conversation = { ...team, id: "-77" };
    await transport.send(part(conversation), never);
    await transport.send(part(conversation), never);
    expect(emulator.audit.visibleFromBot(Number(team.id))).toHaveLength(2);
    expect(emulator.audit.calls("sendMessage")).toHaveLength(3);
  });

  it.each([
    ["a blocked bot", "blocked", "DELIVERY_NO_ACCESS"],
    ["a person who left Telegram", "deactivated", "DELIVERY_NO_ACCESS"],
  ] as const)("to %s is refused for good", async (_name, access, code) => {
    emulator.setAccess(emulator.privateChat(ann), access);
    expect((await refusal(transport.send(part(direct), never))).code).toBe(code);
  });

  it("tells a gone topic, a long text and bad entities apart", async () => {
    const forum = openTeam(true);
    emulator.setTopic(forum, 9, "deleted");
    const code = async (fields: Partial<OutboundPart>, conversation = team) =>
      (await refusal(transport.send(part(conversation, fields), never))).code;
    expect(await code({}, { ...team, threadId: "9" })).toBe("DELIVERY_THREAD_GONE");
    expect(await code({ text: rendered("x".repeat(4097)) })).toBe("DELIVERY_TOO_LONG");
    expect(await code({ text: { ...rendered("😀"), entities: [{ type: "bold", offset: 1, length: 1 }] } })).toBe("DELIVERY_MARKUP_REFUSED");
  });

  it("into a rate limit says how long this chat has to wait", async () => {
    emulator.privateChat(ann);
    emulator.faults.add({ kind: "429", method: "sendMessage", retryAfter: 33, times: 1 });
    expect(await refusal(transport.send(part(direct), never))).toMatchObject({
      code: "DELIVERY_RETRY",
      retryAfterMs: 33_000,
      detail: { scope: "chat" },
    });
    expect(emulator.audit.visibleFromBot()).toEqual([]);
  });

  it("into the limit of the whole bot says so, once two quiet chats are refused", async () => {
    const eve = { userId: 43, firstName: "Eve" };
    for (const person of [ann, eve]) emulator.privateChat(person);
    emulator.faults.add({ kind: "429", method: "sendMessage", retryAfter: 33, times: 2 });
    const elsewhere = { ...direct, id: "43" };
    expect((await refusal(transport.send(part(direct), never))).detail["scope"]).toBe("chat");
    expect((await refusal(transport.send(part(elsewhere), never))).detail["scope"]).toBe("account");
  });

  it("to a closed port surely sent nothing", async () => {
    emulator.privateChat(ann);
    await emulator.stop();
    expect(await refusal(transport.send(part(direct), never))).toMatchObject({ code: "DELIVERY_RETRY", retryable: true });
  });

  it("that was called off before it began sent nothing either", async () => {
    emulator.privateChat(ann);
    expect((await refusal(transport.send(part(direct), AbortSignal.abort()))).code).toBe("DELIVERY_RETRY");
    expect(emulator.audit.calls("sendMessage")).toEqual([]);
  });

  it.each(["5xx-before", "5xx-after", "lost-request", "lost-response"] as const)("into %s has an unknown outcome", async (kind) => {
    emulator.privateChat(ann);
    emulator.faults.add({ kind, method: "sendMessage", times: 1 });
    const error = await refusal(transport.send(part(direct), never));
    expect(error.code).toBe("DELIVERY_OUTCOME_UNKNOWN");
    expect(JSON.stringify([error.message, error.detail])).not.toContain(emulator.token);
  });
});

describe("editing and removing", () => {
  const sendOne = async () => {
    emulator.privateChat(ann);
    return (await transport.send(part(direct, { text: rendered("first") }), never)).messageId;
  };
  const texts = () => emulator.audit.visibleFromBot().map(({ text }) => text);

  it("gives a message another text with its formatting, and takes it away", async () => {
    const id = await sendOne();
    const text = { text: "second", plain: "second", length: 6, entities: [{ type: "bold" as const, offset: 0, length: 6 }] };
    expect(await transport.edit?.({ ...part(direct), text }, id, never)).toMatchObject({ messageId: id });
    expect(emulator.audit.visibleFromBot()[0]).toMatchObject({ text: "second", entities: [{ type: "bold" }] });
    await transport.remove?.(part(direct), id, never);
    expect(texts()).toEqual([]);
  });

  it("takes a text that it has already for a success, and a message that is gone already", async () => {
    const id = await sendOne();
    expect(await transport.edit?.(part(direct, { text: rendered("first") }), id, never)).toEqual({ messageId: id });
    await transport.remove?.(part(direct), id, never);
    await transport.remove?.(part(direct), id, never);
    expect(texts()).toEqual([]);
  });

  it("says when there is nothing of ours to edit", async () => {
    const id = await sendOne();
    const theirs = emulator.send(emulator.privateChat(ann), ann, { text: "mine" });
    await transport.remove?.(part(direct), id, never);
    for (const other of [id, String(theirs.messageId)])
      expect((await refusal(transport.edit!(part(direct, { text: rendered("second") }), other, never))).code).toBe("DELIVERY_EDIT_GONE");
    const media = [{ kind: "image" as const, path: "/x", fileName: "x.png", mimeType: "image/png" }];
    expect((await refusal(transport.edit!({ ...part(direct), media }, id, never))).code).toBe("DELIVERY_EDIT_GONE");
  });

  it("tells a limit, a lost answer and a text that is too long apart", async () => {
    const id = await sendOne();
    emulator.faults.add({ kind: "429", method: "editMessageText", retryAfter: 7, times: 1 });
    expect(await refusal(transport.edit!(part(direct, { text: rendered("x") }), id, never))).toMatchObject({
      code: "DELIVERY_RETRY",
      retryAfterMs: 7000,
    });
    emulator.faults.add({ kind: "lost-response", method: "editMessageText", times: 1 });
    expect((await refusal(transport.edit!(part(direct, { text: rendered("y") }), id, never))).code).toBe("DELIVERY_OUTCOME_UNKNOWN");
    expect((await refusal(transport.edit!(part(direct, { text: rendered("z".repeat(5000)) }), id, never))).code).toBe("DELIVERY_TOO_LONG");
    emulator.setAccess(emulator.privateChat(ann), "blocked");
    expect((await refusal(transport.edit!(part(direct, { text: rendered("x") }), id, never))).code).toBe("DELIVERY_NO_ACCESS");
  });

  it("edits a growing answer seldom enough for the platform, in groups more seldom", () => {
    expect(transport.previewEveryMs?.(direct)).toBe(1000);
    expect(transport.previewEveryMs?.({ ...direct, kind: "group", id: "-100500" })).toBe(3000);
  });
});

describe("finding a lost message", () => {
  it.each([
    ["a private chat", direct],
    ["a supergroup", team],
  ])("in %s that arrived gives its receipt, and changes nothing", async (_name, conversation) => {
    const chat = conversation === team ? openTeam() : emulator.privateChat(ann);
    const { messageId } = emulator.send(chat, ann, { text: "question" });
    emulator.faults.add({ kind: "lost-response", method: "sendMessage", times: 1 });
    const lost = part(conversation);
    await refusal(transport.send(lost, never));
    const result = await transport.reconcile?.(lost, { lastKnownId: String(messageId), newestSeenIds: [String(messageId)] }, never);
    const [visible, ...others] = emulator.audit.visibleFromBot();
    expect(result).toEqual({ outcome: "sent", receipt: { messageId: String(visible?.messageId) } });
    expect(others).toEqual([]);
    expect(visible).not.toHaveProperty("editedAt");
  });

  it("says absent in a supergroup, undecided where ids run over all chats", async () => {
    for (const [chat, conversation, outcome] of [
      [openTeam(), team, "absent"],
      [emulator.privateChat(ann), direct, "undecided"],
    ] as const) {
      const { messageId } = emulator.send(chat, ann, { text: "question" });
      const fault = emulator.faults.add({ kind: "lost-request", method: "sendMessage" });
      const lost = part(conversation);
      await refusal(transport.send(lost, never));
      fault.remove();
      expect(
        await transport.reconcile?.(lost, { lastKnownId: String(messageId), newestSeenIds: [String(messageId)] }, never),
      ).toMatchObject({ outcome });
    }
  });

  it("does not take the answer in another topic for it, even one that is still on its way", async () => {
    const forum = openTeam(true);
    const { messageId } = emulator.send(forum, ann, { text: "in seven", threadId: 7 });
    emulator.send(forum, ann, { text: "in nine", threadId: 9 });
    const hold = emulator.faults.add({ kind: "hold-after", method: "sendMessage", times: 1 });
    const other = transport.send(part({ ...team, threadId: "9" }), never);
    await hold.held();
    emulator.faults.add({ kind: "lost-request", method: "sendMessage", times: 1 });
    const lost = part({ ...team, threadId: "7" });
    await refusal(transport.send(lost, never));
    const searching = transport.reconcile?.(lost, { lastKnownId: String(messageId), newestSeenIds: [] }, never);
    await emulator.waitFor((audit) => audit.calls("editMessageReplyMarkup").length > 1);
    hold.release();
    await other;
    expect(await searching).toEqual({ outcome: "absent" });
  });

  it("waits out rate limits and broken connections", async () => {
    const { messageId } = emulator.send(openTeam(), ann, { text: "question" });
    emulator.faults.add({ kind: "lost-response", method: "sendMessage", times: 1 });
    const lost = part(team);
    await refusal(transport.send(lost, never));
    emulator.faults.add({ kind: "429", method: "editMessageReplyMarkup", retryAfter: 9, times: 2 });
    emulator.faults.add({ kind: "lost-request", method: "editMessageReplyMarkup", times: 2 });
    expect(await transport.reconcile?.(lost, { lastKnownId: String(messageId), newestSeenIds: [] }, never)).toMatchObject({
      outcome: "sent",
    });
    expect(heard.pauses.filter((pause) => pause >= 9000)).toHaveLength(2);
  });

  it("is put off while the platform is away, and given up where the bot was thrown out", async () => {
    const chat = openTeam();
    const { messageId } = emulator.send(chat, ann, { text: "question" });
    const evidence = { lastKnownId: String(messageId), newestSeenIds: [] };
    const search = async () => refusal(transport.reconcile?.(part(team), evidence, never) ?? Promise.resolve());
    await emulator.stop();
    expect(await search()).toMatchObject({ code: "DELIVERY_RETRY", retryable: true });
    await emulator.start();
    emulator.setAccess(chat, "kicked");
    expect((await search()).code).toBe("DELIVERY_NO_ACCESS");
  });
});

describe("typing", () => {
  it("shows in the right topic, and its failure matters to nobody", async () => {
    const forum = openTeam(true);
    emulator.setTopic(forum, 7, "open");
    await transport.typing?.({ ...team, threadId: "7" });
    expect(emulator.audit.calls("sendChatAction")).toMatchObject([{ params: { action: "typing" }, outcome: { kind: "ok" } }]);
    await emulator.stop();
    await transport.typing?.(team);
  });
});

describe("files", () => {
  let folder: string;
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "telegram-files-"));
    await writeFile(join(folder, "cat.png"), png);
    await writeFile(join(folder, "empty.txt"), "");
    emulator.privateChat(ann);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const file = (name: string, kind: "image" | "document" | "voice" = "document") => ({
    kind,
    path: join(folder, name),
    fileName: name,
    mimeType: "application/octet-stream",
  });

  it("are sent from disk with a caption", async () => {
    const caption = { ...rendered("a cat"), entities: [{ type: "italic", offset: 2, length: 3 }] as const };
    await transport.send(part(direct, { media: [file("cat.png", "image")], text: caption }), never);
    await transport.send(part(direct, { media: [file("cat.png")], text: rendered("again") }), never);
    expect(emulator.audit.visibleFromBot()).toMatchObject([
      { text: "a cat", media: { kind: "photo" }, entities: [{ type: "italic", offset: 2, length: 3 }] },
      { text: "again", media: { kind: "document", fileName: "cat.png", size: png.byteLength } },
    ]);
  });

  it("go together as one album, whose receipt is its first message", async () => {
    const receipt = await transport.send(
      part(direct, { media: [file("cat.png", "image"), file("cat.png", "image")], text: rendered("two") }),
      never,
    );
    const [first, second] = emulator.audit.visibleFromBot();
    expect(first).toMatchObject({ text: "two", messageId: Number(receipt.messageId) });
    expect(second?.media?.albumId).toBe(first?.media?.albumId);
  });

  it("that are missing or empty are refused before anything is sent", async () => {
    for (const name of ["gone.png", "empty.txt"]) {
      expect(await refusal(transport.send(part(direct, { media: [file(name)] }), never))).toMatchObject({
        code: "DELIVERY_MEDIA_REFUSED",
        detail: { file: name },
      });
    }
    expect(emulator.audit.calls()).toEqual([]);
  });

  it("that people send can be fetched, up to a size", async () => {
    emulator.send(emulator.privateChat(ann), ann, { document: { bytes: png, name: "cat.png", mimeType: "image/png" }, caption: "mine" });
    await transport.start();
    await saw("mine");
    const media = heard.received[0]?.media[0];
    if (media === undefined || transport.fetchMedia === undefined) throw new Error("no medium");
    expect(media).toMatchObject({ kind: "document", fileName: "cat.png", mimeType: "image/png", size: png.byteLength });
    const read = async (maxBytes: number, { size: _size, ...unsized } = media) => {
      const fetched = await transport.fetchMedia?.(unsized, { maxBytes, signal: never });
      const chunks: Uint8Array[] = [];
      for await (const chunk of fetched?.data ?? []) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    expect(await read(1000)).toEqual(png);
    expect((await refusal(read(10))).code).toBe("DELIVERY_MEDIA_REFUSED");
    expect((await refusal(transport.fetchMedia(media, { maxBytes: 10, signal: never }))).code).toBe("DELIVERY_MEDIA_REFUSED");
    emulator.faults.add({ kind: "lost-response", method: "file" });
    expect(await refusal(read(1000))).toMatchObject({ code: "DELIVERY_MEDIA_REFUSED", detail: { reason: "the download broke off" } });
  });

  it("that the platform does not know are refused without naming the token", async () => {
    const error = await refusal(
      transport.fetchMedia?.({ kind: "image", url: "channel:nobody" }, { maxBytes: 10, signal: never }) ?? Promise.resolve(),
    );
    expect(error.code).toBe("DELIVERY_MEDIA_REFUSED");
    expect(JSON.stringify([error.detail, error.message])).not.toContain(emulator.token);
  });
});
