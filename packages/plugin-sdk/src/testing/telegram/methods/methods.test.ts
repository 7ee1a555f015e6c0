import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTelegramEmulator, type TelegramEmulator } from "../emulator.ts";

// The smallest PNG header that has a size: 2 by 3 pixels.
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 3]);

interface Body {
  readonly ok: boolean;
  // Wire data of any method; each test knows what it asked for.
  readonly result: Record<string, never> & { message_id: number };
  readonly error_code?: number;
  readonly description?: string;
  readonly parameters?: unknown;
}

let emulator: TelegramEmulator;

beforeEach(async () => {
  emulator = await createTelegramEmulator();
});
afterEach(() => emulator.close());

async function call(method: string, params: Record<string, unknown> = {}): Promise<Body> {
  const response = await fetch(`${emulator.apiRoot}/bot${emulator.token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(params),
  });
  const body = (await response.json()) as Body;
  expect(response.status).toBe(body.ok ? 200 : body.error_code);
  return body;
}

async function upload(method: string, fields: Record<string, string>, files: Record<string, Uint8Array>): Promise<Body> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const [name, bytes] of Object.entries(files)) form.set(name, new Blob([Uint8Array.from(bytes)]), `${name}.png`);
  const response = await fetch(`${emulator.apiRoot}/bot${emulator.token}/${method}`, { method: "POST", body: form });
  return (await response.json()) as Body;
}

const anna = () => emulator.privateChat({ userId: 42, firstName: "Anna" });

describe("requests", () => {
  it("with the wrong token are unauthorized", async () => {
    const response = await fetch(`${emulator.apiRoot}/bot1:wrong/getMe`);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ ok: false, error_code: 401, description: "Unauthorized" });
  });

  it("for an unknown method or path are not found", async () => {
    expect(await call("sendNothing")).toMatchObject({ ok: false, error_code: 404, description: "Not Found: method not found" });
    expect((await fetch(`${emulator.apiRoot}/elsewhere`)).status).toBe(404);
  });

  it("may come by query, form or JSON, with any case of the method", async () => {
    anna();
    const url = `${emulator.apiRoot}/bot${emulator.token}`;
    await fetch(`${url}/SENDMESSAGE?chat_id=42&text=query`);
    await fetch(`${url}/sendmessage`, { method: "POST", body: new URLSearchParams({ chat_id: "42", text: "form" }) });
    await upload("sendMessage", { chat_id: "42", text: "multipart", entities: '[{"type":"bold","offset":0,"length":5}]' }, {});
    await call("sendMessage", { chat_id: "42", text: "json" });
    expect(emulator.audit.visible().map((message) => message.text)).toEqual(["query", "form", "multipart", "json"]);
    expect(emulator.audit.visible()[2]?.entities).toEqual([{ type: "bold", offset: 0, length: 5 }]);
  });

  it("with a broken body are refused", async () => {
    const response = await fetch(`${emulator.apiRoot}/bot${emulator.token}/getMe`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect(await response.json()).toMatchObject({ error_code: 400, description: "Bad Request: can't parse JSON object" });
  });

  it("never leave the token in the audit log", async () => {
    await call("getMe");
    expect(JSON.stringify(emulator.audit.calls())).not.toContain(emulator.token);
    expect(emulator.audit.calls()).toMatchObject([{ method: "getMe", outcome: { kind: "ok" } }]);
  });
});

describe("sendMessage", () => {
  it("answers with the message, numbered over all private chats and basic groups", async () => {
    anna();
    emulator.privateChat({ userId: 43 });
    emulator.group({ id: -5, title: "Small" });
    emulator.group({ id: -1005, title: "Large", supergroup: true });
    const ids = [];
    for (const chatId of [42, 43, -5, -1005, -1005, 42])
      ids.push((await call("sendMessage", { chat_id: chatId, text: "x" })).result.message_id);
    expect(ids).toEqual([1, 2, 3, 1, 2, 4]);
  });

  it("gives no id away when it is refused", async () => {
    anna();
    await call("sendMessage", { chat_id: 42, text: "x".repeat(4097) });
    expect((await call("sendMessage", { chat_id: 42, text: "x" })).result.message_id).toBe(1);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no text", { chat_id: 42 }, "message text is empty"],
    ["blanks", { chat_id: 42, text: "  " }, "text must be non-empty"],
    ["no chat", { text: "x" }, "chat_id is empty"],
    ["an unknown chat", { chat_id: 99, text: "x" }, "chat not found"],
    ["an unknown name", { chat_id: "@nobody", text: "x" }, "chat not found"],
    ["too long a text", { chat_id: 42, text: "x".repeat(4097) }, "message is too long"],
    ["an unknown topic", { chat_id: -1007, message_thread_id: 9, text: "x" }, "message thread not found"],
    ["the General topic by number", { chat_id: -1007, message_thread_id: 1, text: "x" }, "message thread not found"],
    ["a topic in a private chat", { chat_id: 42, message_thread_id: 5, text: "x" }, "message thread not found"],
    ["a closed topic", { chat_id: -1007, message_thread_id: 6, text: "x" }, "TOPIC_CLOSED"],
    ["a reply to nothing", { chat_id: 42, reply_parameters: { message_id: 77 }, text: "x" }, "message to be replied not found"],
    [
      "a reply without an id",
      { chat_id: 42, reply_parameters: {}, text: "x" },
      `can't parse reply parameters: Can't find field "message_id"`,
    ],
    ["broken entities", { chat_id: 42, text: "x", entities: "[" }, "can't parse entities JSON object"],
    ["a broken keyboard", { chat_id: 42, text: "x", reply_markup: "{" }, "can't parse reply keyboard markup JSON object"],
    [
      "long button data",
      { chat_id: 42, text: "x", reply_markup: { inline_keyboard: [[{ text: "a", callback_data: "é".repeat(33) }]] } },
      "BUTTON_DATA_INVALID",
    ],
    [
      "a button that does nothing",
      { chat_id: 42, text: "x", reply_markup: { inline_keyboard: [[{ text: "a" }]] } },
      "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
    ],
    [
      "a button without a text",
      { chat_id: 42, text: "x", reply_markup: { inline_keyboard: [[{ callback_data: "a" }]] } },
      `can't parse inline keyboard button: Can't find field "text"`,
    ],
    [
      "a button to a bad address",
      { chat_id: 42, text: "x", reply_markup: { inline_keyboard: [[{ text: "a", url: "javascript:x" }]] } },
      "inline keyboard button URL 'javascript:x' is invalid: Unsupported URL protocol",
    ],
  ])("refuses %s", async (_what, params, reason) => {
    anna();
    const forum = emulator.group({ id: -1007, title: "Forum", forum: true });
    emulator.setTopic(forum, 6, "closed");
    expect(await call("sendMessage", params)).toEqual({ ok: false, error_code: 400, description: `Bad Request: ${reason}` });
    expect(emulator.audit.visible()).toEqual([]);
    expect(emulator.audit.calls()).toMatchObject([{ method: "sendMessage", outcome: { kind: "refused", code: 400 } }]);
  });

  it.each([
    ["blocked", 42, 403, "Forbidden: bot was blocked by the user"],
    ["deactivated", 42, 403, "Forbidden: user is deactivated"],
    ["kicked", -5, 403, "Forbidden: bot was kicked from the group chat"],
    ["kicked", -1005, 403, "Forbidden: bot was kicked from the supergroup chat"],
    ["restricted", -1005, 400, "Bad Request: not enough rights to send text messages to the chat"],
  ] as const)("is refused when the bot is %s in %i", async (access, chatId, code, description) => {
    const chats = [anna(), emulator.group({ id: -5, title: "Small" }), emulator.group({ id: -1005, title: "Large", supergroup: true })];
    const chat = chats.find((candidate) => candidate.id === chatId);
    if (chat !== undefined) emulator.setAccess(chat, access);
    expect(await call("sendMessage", { chat_id: chatId, text: "x" })).toEqual({ ok: false, error_code: code, description });
    if (chat !== undefined) emulator.setAccess(chat, "open");
    expect(await call("sendMessage", { chat_id: chatId, text: "x" })).toMatchObject({ ok: true });
  });

  it("to an upgraded group tells the new id", async () => {
    const group = emulator.group({ id: -5, title: "Club" });
    emulator.migrate(group, -1009);
    expect(await call("sendMessage", { chat_id: -5, text: "x" })).toEqual({
      ok: false,
      error_code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: -1009 },
    });
    expect(await call("sendMessage", { chat_id: -1009, text: "x" })).toMatchObject({ ok: true });
  });

  it("replies with a quote, in the topic of the message it answers", async () => {
    const forum = emulator.group({ id: -1007, title: "Forum", forum: true });
    const asked = emulator.send(forum, 42, { text: "what is the answer", threadId: 5 });
    const reply = { message_id: asked.messageId, quote: "the answer" };
    await call("sendMessage", { chat_id: -1007, text: "42", reply_parameters: reply });
    expect(emulator.audit.visibleFromBot()).toMatchObject([{ text: "42", threadId: 5, replyTo: asked.messageId }]);
    expect(await call("sendMessage", { chat_id: -1007, text: "x", reply_parameters: { ...reply, quote: "no answer" } })).toMatchObject({
      description: "Bad Request: QUOTE_TEXT_INVALID",
    });
  });

  it("goes out without the reply when that is allowed", async () => {
    anna();
    const params = { chat_id: 42, text: "x", reply_parameters: { message_id: 77, allow_sending_without_reply: true } };
    expect(await call("sendMessage", params)).toMatchObject({ ok: true });
    expect(emulator.audit.visible()[0]).not.toHaveProperty("replyTo");
  });

  it("mentions people whom the bot has met", async () => {
    anna();
    const entities = [{ type: "text_mention", offset: 0, length: 4, user: { id: 42 } }];
    expect(await call("sendMessage", { chat_id: 42, text: "Anna", entities })).toMatchObject({
      result: { entities: [{ user: { first_name: "Anna" } }] },
    });
  });
});

describe("edits", () => {
  it("change the text, and an equal one is not modified", async () => {
    anna();
    const { message_id } = (await call("sendMessage", { chat_id: 42, text: "one" })).result;
    expect(await call("editMessageText", { chat_id: 42, message_id, text: "two" })).toMatchObject({ result: { text: "two", message_id } });
    expect(await call("editMessageText", { chat_id: 42, message_id, text: " two " })).toEqual({
      ok: false,
      error_code: 400,
      description:
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    });
    expect(emulator.audit.timeline().map((entry) => `${entry.kind} ${entry.text}`)).toEqual(["sent one", "edited two"]);
  });

  it("of the text take the keyboard away when it is not given again", async () => {
    anna();
    const markup = { inline_keyboard: [[{ text: "a", callback_data: "b" }]] };
    const { message_id } = (await call("sendMessage", { chat_id: 42, text: "one", reply_markup: markup })).result;
    expect(emulator.audit.visible()[0]?.replyMarkup).toEqual(markup);
    expect(await call("editMessageText", { chat_id: 42, message_id, text: "one" })).toMatchObject({ ok: true });
    expect(emulator.audit.visible()[0]).not.toHaveProperty("replyMarkup");
  });

  it("of the markup tell whose message an id is", async () => {
    const chat = anna();
    const theirs = emulator.send(chat, 42, { text: "hi" });
    const ours = (await call("sendMessage", { chat_id: 42, text: "hello" })).result.message_id;
    const probe = async (message_id: number) => (await call("editMessageReplyMarkup", { chat_id: 42, message_id })).description;
    expect(await probe(theirs.messageId)).toBe("Bad Request: message can't be edited");
    expect(await probe(ours)).toContain("message is not modified");
    expect(await probe(ours + 1)).toBe("Bad Request: message to edit not found");
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["editMessageText", { text: "x" }, "message identifier is not specified"],
    ["editMessageText", { chat_id: 42, message_id: 9, text: "x" }, "message to edit not found"],
    ["editMessageText", { chat_id: 42, message_id: 1, text: "" }, "message text is empty"],
    ["editMessageCaption", { chat_id: 42, message_id: 1, caption: "x" }, "there is no caption in the message to edit"],
    ["deleteMessage", { chat_id: 42, message_id: 9 }, "message to delete not found"],
  ])("%s refuses %j", async (method, params, reason) => {
    anna();
    await call("sendMessage", { chat_id: 42, text: "one" });
    expect((await call(method, params)).description).toBe(`Bad Request: ${reason}`);
  });

  it("that delete take the message away, but not other people's messages in a group", async () => {
    const group = emulator.group({ id: -5, title: "Small" });
    const { messageId } = emulator.send(group, 42, { text: "theirs" });
    const { message_id } = (await call("sendMessage", { chat_id: -5, text: "ours" })).result;
    expect(await call("deleteMessage", { chat_id: -5, message_id })).toMatchObject({ ok: true, result: true });
    expect((await call("deleteMessage", { chat_id: -5, message_id: messageId })).description).toBe("Bad Request: message can't be deleted");
    expect(emulator.audit.visible().map((message) => message.text)).toEqual(["theirs"]);
  });
});

describe("media", () => {
  it("comes as an upload, can be sent again by id, and downloaded", async () => {
    anna();
    const sent = await upload("sendPhoto", { chat_id: "42", caption: "<b>a</b>", parse_mode: "HTML" }, { photo: PNG });
    const fileId = (sent.result as unknown as { photo: { file_id: string; width: number }[] }).photo.at(-1)?.file_id;
    expect(await call("sendPhoto", { chat_id: 42, photo: fileId })).toMatchObject({ ok: true });
    expect((await call("sendDocument", { chat_id: 42, document: fileId })).description).toBe(
      "Bad Request: can't use file of type Photo as Document",
    );
    const file = (await call("getFile", { file_id: fileId })).result as unknown as { file_path: string };
    const bytes = await (await fetch(`${emulator.apiRoot}/file/bot${emulator.token}/${file.file_path}`)).arrayBuffer();
    expect(new Uint8Array(bytes)).toEqual(PNG);
    expect(emulator.audit.visible()[0]).toMatchObject({
      text: "a",
      entities: [{ type: "bold" }],
      media: { kind: "photo", fileId, size: PNG.length },
    });
  });

  it.each<[string, Record<string, string>, Record<string, Uint8Array>, string]>([
    ["no photo", { chat_id: "42" }, {}, "there is no photo in the request"],
    ["a missing attachment", { chat_id: "42", photo: "attach://x" }, {}, "there is no photo in the request"],
    ["an empty file", { chat_id: "42" }, { photo: new Uint8Array() }, "file must be non-empty"],
    ["what is no picture", { chat_id: "42" }, { photo: Uint8Array.from([1, 2, 3]) }, "IMAGE_PROCESS_FAILED"],
    ["an unknown id", { chat_id: "42", photo: "nothing" }, {}, "wrong remote file identifier specified: can't unserialize it"],
    ["an address", { chat_id: "42", photo: "https://x.org/a.png" }, {}, "failed to get HTTP URL content"],
    ["too long a caption", { chat_id: "42", caption: "x".repeat(1025) }, { photo: PNG }, "message caption is too long"],
  ])("is refused for %s", async (_what, fields, files, reason) => {
    anna();
    expect((await upload("sendPhoto", fields, files)).description).toBe(`Bad Request: ${reason}`);
  });

  it.each(["sendDocument", "sendVoice", "sendAudio", "sendVideo"])("%s takes any bytes", async (method) => {
    anna();
    const kind = method.slice("send".length).toLowerCase();
    expect(await upload(method, { chat_id: "42" }, { [kind]: Uint8Array.from([1, 2, 3]) })).toMatchObject({ ok: true });
    expect(emulator.audit.visible()).toMatchObject([{ media: { kind, size: 3 } }]);
  });

  it("in an album has consecutive ids and one album id", async () => {
    anna();
    const media = JSON.stringify([
      { type: "photo", media: "attach://a", caption: "one" },
      { type: "photo", media: "attach://b" },
    ]);
    const sent = await upload("sendMediaGroup", { chat_id: "42", media }, { a: PNG, b: PNG });
    const messages = sent.result as unknown as { message_id: number; media_group_id: string }[];
    expect(messages.map((message) => message.message_id)).toEqual([1, 2]);
    expect(messages[0]?.media_group_id).toBe(messages[1]?.media_group_id);
    const mixed = JSON.stringify([
      { type: "photo", media: "attach://a" },
      { type: "document", media: "attach://b" },
    ]);
    expect((await upload("sendMediaGroup", { chat_id: "42", media: mixed }, { a: PNG, b: PNG })).description).toBe(
      "Bad Request: document can't be mixed with other media types",
    );
  });
});

describe("small methods", () => {
  it("getMe tells who the bot is", async () => {
    expect((await call("getMe")).result).toMatchObject({
      id: emulator.bot.id,
      is_bot: true,
      username: "emulated_bot",
      can_read_all_group_messages: true,
    });
  });

  it("commands are kept per scope and checked", async () => {
    const commands = [{ command: "help", description: "What I can do" }];
    expect(await call("setMyCommands", { commands })).toMatchObject({ result: true });
    expect((await call("getMyCommands")).result).toEqual(commands);
    expect((await call("setMyCommands", { commands: [{ command: "Help", description: "x" }] })).description).toBe(
      "Bad Request: BOT_COMMAND_INVALID",
    );
  });

  it("reactions take the listed emoji only, one at a time", async () => {
    const { messageId } = emulator.send(anna(), 42, { text: "hi" });
    const react = async (...emoji: string[]) =>
      (
        await call("setMessageReaction", {
          chat_id: 42,
          message_id: messageId,
          reaction: emoji.map((one) => ({ type: "emoji", emoji: one })),
        })
      ).description;
    expect(await react("👍")).toBeUndefined();
    expect(await react("✅")).toBe("Bad Request: REACTION_INVALID");
    expect(await react("👍", "🔥")).toBe("Bad Request: REACTIONS_TOO_MANY");
    expect(await react()).toBeUndefined();
    expect(await react()).toBe("Bad Request: REACTION_EMPTY");
    expect((await call("setMessageReaction", { chat_id: 42, message_id: 99, reaction: [] })).description).toBe(
      "Bad Request: message to react not found",
    );
  });

  it("typing and drafts show on the timeline and leave nothing behind", async () => {
    anna();
    emulator.group({ id: -5, title: "Small" });
    expect(await call("sendChatAction", { chat_id: 42, action: "typing" })).toMatchObject({ result: true });
    expect(await call("sendMessageDraft", { chat_id: 42, draft_id: 7, text: "thinking" })).toMatchObject({ result: true });
    expect((await call("sendMessageDraft", { chat_id: -5, draft_id: 7, text: "x" })).error_code).toBe(400);
    expect((await call("sendMessageDraft", { chat_id: 42, text: "x" })).error_code).toBe(400);
    expect((await call("sendChatAction", { chat_id: 42, action: "dancing" })).description).toBe(
      "Bad Request: wrong parameter action in request",
    );
    expect(emulator.audit.timeline().map((entry) => entry.kind)).toEqual(["action", "draft"]);
    expect(emulator.audit.visible()).toEqual([]);
  });

  it("a callback query is answered once", async () => {
    const markup = { inline_keyboard: [[{ text: "a", callback_data: "b" }]] };
    anna();
    const { message_id } = (await call("sendMessage", { chat_id: 42, text: "x", reply_markup: markup })).result;
    const id = emulator.press(anna(), 42, message_id, "b");
    expect(await call("answerCallbackQuery", { callback_query_id: id })).toMatchObject({ result: true });
    expect((await call("answerCallbackQuery", { callback_query_id: id })).description).toBe(
      "Bad Request: query is too old and response timeout expired or query ID is invalid",
    );
  });

  it("getChat describes a chat", async () => {
    emulator.group({ id: -1007, title: "Forum", forum: true });
    expect((await call("getChat", { chat_id: -1007 })).result).toMatchObject({
      id: -1007,
      type: "supergroup",
      title: "Forum",
      is_forum: true,
    });
  });
});
