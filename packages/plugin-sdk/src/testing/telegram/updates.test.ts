import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { createTelegramEmulator, type TelegramEmulator } from "./emulator.ts";
import type { WireUpdate } from "./wire.ts";

let emulator: TelegramEmulator;

beforeEach(async () => {
  emulator = await createTelegramEmulator();
});
afterEach(() => emulator.close());

interface Body {
  readonly ok: boolean;
  readonly result: WireUpdate[];
  readonly error_code?: number;
  readonly description?: string;
}

async function call(method: string, params: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Body> {
  const response = await fetch(`${emulator.apiRoot}/bot${emulator.token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(params),
    ...(signal === undefined ? {} : { signal }),
  });
  return (await response.json()) as Body;
}

const say = (text: string) => emulator.send(emulator.privateChat({ userId: 42 }), 42, { text });
const texts = (body: Body) => body.result.map((update) => (update["message"] as { text: string }).text);

/** Starts a long poll and waits until the emulator holds it. */
async function poll(offset = 0): Promise<{ answer: Promise<Body> }> {
  const answer = call("getUpdates", { timeout: 30, offset });
  await emulator.waitFor(() => emulator.polling);
  return { answer };
}

describe("getUpdates", () => {
  it("hands out the same updates until a higher offset confirms them", async () => {
    say("one");
    say("two");
    const first = await call("getUpdates");
    expect(texts(first)).toEqual(["one", "two"]);
    expect(texts(await call("getUpdates", { offset: first.result[0]?.update_id }))).toEqual(["one", "two"]);
    expect(texts(await call("getUpdates", { offset: (first.result[0]?.update_id ?? 0) + 1 }))).toEqual(["two"]);
    expect(emulator.pendingUpdates).toBe(1);
  });

  it("numbers updates without gaps and keeps to the limit", async () => {
    for (let index = 0; index < 5; index += 1) say(String(index));
    const { result } = await call("getUpdates", { limit: 3 });
    const first = result[0]?.update_id ?? 0;
    expect(result.map((update) => update.update_id)).toEqual([first, first + 1, first + 2]);
    expect((await call("getUpdates", { limit: 0 })).result).toHaveLength(1);
  });

  it("with a negative offset forgets all but the last", async () => {
    for (const text of ["a", "b", "c"]) say(text);
    expect(texts(await call("getUpdates", { offset: -1 }))).toEqual(["c"]);
    expect(emulator.pendingUpdates).toBe(1);
  });

  it("waits for an update and answers when it comes, with all of one tick", async () => {
    const { answer } = await poll();
    say("a");
    say("b");
    expect(texts(await answer)).toEqual(["a", "b"]);
    expect(emulator.polling).toBe(false);
  });

  it("answers with nothing after its timeout", async () => {
    await emulator.close();
    // A clock that runs a thousand times as fast.
    emulator = await createTelegramEmulator({ clock: { ...systemClock, timer: (ms, callback) => systemClock.timer(ms / 1000, callback) } });
    expect(await call("getUpdates", { timeout: 30 })).toEqual({ ok: true, result: [] });
  });

  it("ends an older poll with a conflict", async () => {
    const { answer: older } = await poll();
    const newer = call("getUpdates", { timeout: 30 });
    expect(await older).toEqual({
      ok: false,
      error_code: 409,
      description: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    await emulator.waitFor(() => emulator.polling);
    say("hello");
    expect(texts(await newer)).toEqual(["hello"]);
  });

  it("ends a waiting poll when a webhook is set", async () => {
    const { answer } = await poll();
    await call("setWebhook", { url: "https://x.org/hook" });
    expect(await answer).toMatchObject({ error_code: 409, description: "Conflict: terminated by setWebhook request" });
  });

  it("gives nothing to a caller that hung up", async () => {
    const caller = new AbortController();
    const gone = call("getUpdates", { timeout: 30 }, caller.signal).catch(() => "gone");
    await emulator.waitFor(() => emulator.polling);
    caller.abort();
    expect(await gone).toBe("gone");
    await emulator.waitFor(() => !emulator.polling);
    say("hello");
    expect(texts(await call("getUpdates"))).toEqual(["hello"]);
  });

  it("conflicts with a webhook until that is deleted", async () => {
    expect(await call("setWebhook", { url: "https://x.org/hook" })).toMatchObject({ ok: true, description: "Webhook was set" });
    expect(await call("getUpdates")).toEqual({
      ok: false,
      error_code: 409,
      description: "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    });
    expect((await call("getWebhookInfo")).result).toMatchObject({ url: "https://x.org/hook", pending_update_count: 0 });
    expect(await call("deleteWebhook")).toMatchObject({ ok: true, description: "Webhook was deleted" });
    expect(await call("deleteWebhook")).toMatchObject({ ok: true, description: "Webhook is already deleted" });
    expect(await call("getUpdates")).toEqual({ ok: true, result: [] });
    expect((await call("setWebhook", { url: "http://x.org" })).error_code).toBe(400);
  });

  it("can drop what waits", async () => {
    say("old");
    await call("deleteWebhook", { drop_pending_updates: true });
    expect(await call("getUpdates")).toEqual({ ok: true, result: [] });
  });

  it("leaves out the types that the bot does not want", async () => {
    await call("getUpdates", { allowed_updates: ["edited_message"] });
    const { messageId } = say("one");
    emulator.edit(emulator.privateChat({ userId: 42 }), messageId, { text: "two" });
    expect((await call("getUpdates")).result).toMatchObject([{ edited_message: { text: "two", message_id: messageId } }]);
    expect(emulator.audit).toMatchObject({ injected: 0, updates: 1 });
    await call("getUpdates", { allowed_updates: [] });
    say("three");
    expect((await call("getUpdates")).result).toHaveLength(2);
  });
});

describe("duplicates", () => {
  it("of a confirmed update can be asked for, and count once", async () => {
    const { updateId } = say("one");
    await call("getUpdates", { offset: (updateId ?? 0) + 1 });
    expect(emulator.repeatUpdate(updateId ?? 0)).toBe(true);
    expect(texts(await call("getUpdates"))).toEqual(["one"]);
    expect(await call("getUpdates")).toEqual({ ok: true, result: [] });
    expect(emulator.repeatUpdate(1)).toBe(false);
    expect(emulator.audit.injected).toBe(1);
  });

  it("wake a waiting poll", async () => {
    const { updateId } = say("one");
    const { answer } = await poll((updateId ?? 0) + 1);
    emulator.repeatUpdate(updateId ?? 0);
    expect(texts(await answer)).toEqual(["one"]);
  });
});

describe("people", () => {
  it("send texts whose commands, mentions and links are marked", async () => {
    say("/start@emulated_bot see https://x.org");
    const [update] = (await call("getUpdates")).result;
    expect(update?.["message"]).toMatchObject({
      message_id: 1,
      chat: { id: 42, type: "private", first_name: "Person 42" },
      from: { id: 42, is_bot: false },
      entities: [
        { type: "bot_command", offset: 0, length: 19 },
        { type: "url", offset: 24, length: 13 },
      ],
    });
  });

  it("send files that the bot can fetch", async () => {
    const chat = emulator.privateChat({ userId: 42 });
    emulator.send(chat, 42, { document: { bytes: Uint8Array.from([7, 8]), name: "a.txt", mimeType: "text/plain" }, caption: "look" });
    const [update] = (await call("getUpdates")).result;
    const message = update?.["message"] as { caption: string; document: { file_id: string; file_name: string } };
    expect(message).toMatchObject({ caption: "look", document: { file_name: "a.txt", mime_type: "text/plain", file_size: 2 } });
    const file = (await call("getFile", { file_id: message.document.file_id })).result as unknown as { file_path: string };
    const response = await fetch(`${emulator.apiRoot}/file/bot${emulator.token}/${file.file_path}`);
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([7, 8]);
    expect((await fetch(`${emulator.apiRoot}/file/bot${emulator.token}/documents/none`)).status).toBe(404);
  });

  it("reply in topics, where General has no number", async () => {
    const forum = emulator.group({ id: -1007, title: "Forum", forum: true });
    const first = emulator.send(forum, 42, { text: "a", threadId: 5 });
    emulator.send(forum, { userId: 43, firstName: "Ben", username: "ben" }, { text: "b", threadId: 1, replyTo: first.messageId });
    const messages = (await call("getUpdates")).result.map((update) => update["message"]);
    expect(messages).toMatchObject([
      { message_id: 1, message_thread_id: 5, is_topic_message: true },
      { message_id: 2, from: { username: "ben" }, reply_to_message: { message_id: 1 } },
    ]);
    expect(messages[1]).not.toHaveProperty("message_thread_id");
  });

  it("upgrade a group, which both chats announce", async () => {
    emulator.migrate(emulator.group({ id: -5, title: "Club" }), -1009);
    expect((await call("getUpdates")).result).toMatchObject([
      { message: { chat: { id: -5 }, migrate_to_chat_id: -1009 } },
      { message: { chat: { id: -1009, type: "supergroup" }, migrate_from_chat_id: -5 } },
    ]);
  });

  it("can inject anything, and a recognisable chat may be answered", async () => {
    emulator.injectUpdate({ strange_thing: { deep: [null] } });
    emulator.injectUpdate({
      message: { message_id: 10, chat: { id: 77, type: "private" }, from: { id: 77, is_bot: false, first_name: "X" }, date: 1, text: 5 },
    });
    expect((await call("getUpdates")).result).toMatchObject([{ strange_thing: { deep: [null] } }, { message: { message_id: 10 } }]);
    expect(await call("sendMessage", { chat_id: 77, text: "x" })).toMatchObject({ result: { message_id: 11 } });
    expect(emulator.audit).toMatchObject({ injected: 1, updates: 2 });
  });

  it("in privacy mode reach the bot in groups only when they address it", async () => {
    const shy = await createTelegramEmulator({ privacyMode: true });
    const group = shy.group({ id: -5, title: "Small" });
    const seen = (text: string) => shy.send(group, 42, { text }).updateId !== undefined;
    expect([seen("hello"), seen("/help"), seen("hi @Emulated_bot")]).toEqual([false, true, true]);
    expect(shy.audit.injected).toBe(2);
    await shy.close();
  });
});
