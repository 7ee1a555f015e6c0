import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizeUpdate } from "./inbound.ts";

const me = { id: "99", username: "my_bot" };
const ann = { id: 42, is_bot: false, first_name: "Ann", last_name: "Lee", username: "ann" };
const bot = { id: 99, is_bot: true, first_name: "Bot", username: "my_bot" };
const direct = { id: 42, type: "private", first_name: "Ann" };
const group = { id: -1001, type: "supergroup", title: "Team" };
const forum = { ...group, is_forum: true };

const update = (fields: object, key = "message"): unknown => ({
  update_id: 1000,
  [key]: { message_id: 7, date: 1_700_000_000, chat: direct, from: ann, ...fields },
});
const normalize = (value: unknown) => normalizeUpdate(value, me, "main");
const read = (fields: object, key?: string) => {
  const result = normalize(update(fields, key));
  if (result.kind !== "message") throw new Error(`${result.kind}: ${result.why}`);
  return result.message;
};

describe("a private text", () => {
  it("becomes a message with strings for ids and milliseconds for time", () => {
    expect(read({ text: "hello" })).toEqual({
      kind: "message",
      id: "7",
      conversation: { channel: "telegram", account: "main", kind: "direct", id: "42" },
      sender: { id: "42", name: "Ann Lee", username: "ann", isBot: false, isSelf: false },
      text: "hello",
      media: [],
      mentions: { bot: false, others: [] },
      sentAt: 1_700_000_000_000,
      channelData: { updateId: 1000, bot: "my_bot", content: "text" },
    });
  });

  it("keeps every byte but the form of line ends", () => {
    expect(read({ text: "a\r\nb\rc\n  d\\n\t " }).text).toBe("a\nb\nc\n  d\\n\t ");
  });

  it("reads mentions before line ends are changed, since offsets count them", () => {
    expect(read({ chat: group, text: "a\r\n@my_bot", entities: [{ type: "mention", offset: 3, length: 7 }] }).mentions.bot).toBe(true);
  });
});

describe("topics", () => {
  it("are threads of their group", () => {
    const { conversation, labels } = read({
      chat: forum,
      text: "x",
      message_thread_id: 9,
      is_topic_message: true,
      reply_to_message: { message_id: 9, forum_topic_created: { name: "Plans" } },
    });
    expect(conversation).toEqual({ channel: "telegram", account: "main", kind: "group", id: "-1001", threadId: "9" });
    expect(labels).toEqual({ subject: "Team", thread: "Plans" });
  });

  it("called General are the group itself", () => {
    expect(read({ chat: forum, text: "x", message_thread_id: 1 }).conversation.threadId).toBeUndefined();
    expect(read({ chat: forum, text: "x", message_thread_id: 1, is_topic_message: true }).conversation.threadId).toBeUndefined();
  });

  it("are not what a reply in a plain group names as its thread", () => {
    expect(read({ chat: group, text: "x", message_thread_id: 55 }).conversation.threadId).toBeUndefined();
  });

  it("exist in private chats too, where 1 is an ordinary one", () => {
    expect(read({ text: "x", message_thread_id: 1, is_topic_message: true }).conversation).toMatchObject({ kind: "direct", threadId: "1" });
  });
});

describe("replies", () => {
  const target = { message_id: 5, date: 1, chat: group, from: bot, text: "earlier" };

  it("point at the message and say whether it is the bot's", () => {
    expect(read({ chat: group, text: "why?", reply_to_message: target }).anchor).toEqual({
      kind: "reply",
      messageId: "5",
      text: "earlier",
      senderId: "99",
      senderIsSelf: true,
    });
    expect(read({ chat: group, text: "why?", reply_to_message: { ...target, from: ann } }).anchor).toMatchObject({
      senderId: "42",
      senderIsSelf: false,
    });
    expect(read({ chat: group, text: "why?", reply_to_message: { ...target, from: { ...bot, id: 98 } } }).anchor).toMatchObject({
      senderIsSelf: false,
    });
  });

  it("carry the caption of a picture and the part that was quoted", () => {
    expect(read({ text: "?", reply_to_message: { ...target, text: undefined, caption: "the cat" } }).anchor?.text).toBe("the cat");
    expect(read({ text: "?", reply_to_message: target, quote: { text: "ear", position: 0 } }).anchor).toMatchObject({
      kind: "quote",
      text: "ear",
      messageId: "5",
    });
  });

  it("in a topic are only real ones, not the notice of its creation", () => {
    const created = { message_id: 9, date: 1, chat: forum, from: bot, forum_topic_created: { name: "Plans", icon_color: 1 } };
    expect(
      read({ chat: forum, text: "x", message_thread_id: 9, is_topic_message: true, reply_to_message: created }).anchor,
    ).toBeUndefined();
  });

  it("into another chat keep the quote but not an id that means nothing here", () => {
    const external = {
      origin: { type: "channel", date: 1, chat: { id: -1009, type: "channel", title: "News" }, message_id: 3 },
      message_id: 3,
    };
    expect(read({ text: "?", external_reply: external, quote: { text: "q", position: 0 } }).anchor).toEqual({ kind: "quote", text: "q" });
  });
});

describe("senders", () => {
  it("who write as their group or channel are known by that", () => {
    const anonymous = { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" };
    expect(read({ chat: group, from: anonymous, sender_chat: group, text: "x" }).sender).toEqual({
      id: "-1001",
      name: "Team",
      isBot: false,
      isSelf: false,
    });
  });

  it("are flagged when they are bots, or the bot itself", () => {
    expect(read({ chat: group, from: { ...bot, id: 98 }, text: "x" }).sender).toMatchObject({ isBot: true, isSelf: false });
    expect(read({ chat: group, from: bot, text: "x" }).sender).toMatchObject({ isBot: true, isSelf: true });
  });
});

describe("media", () => {
  it.each([
    [
      "a photo by its largest size",
      {
        photo: [
          { file_id: "B", width: 800, height: 600, file_size: 9 },
          { file_id: "S", width: 90, height: 60 },
        ],
      },
      { kind: "image", url: "channel:B", mimeType: "image/jpeg", size: 9 },
    ],
    [
      "a document",
      { document: { file_id: "D", file_name: "a.pdf", mime_type: "application/pdf", file_size: 3 } },
      { kind: "document", url: "channel:D", fileName: "a.pdf", mimeType: "application/pdf", size: 3 },
    ],
    ["a voice note", { voice: { file_id: "V", duration: 1 } }, { kind: "voice", url: "channel:V", mimeType: "audio/ogg" }],
    [
      "music",
      { audio: { file_id: "A", duration: 1, mime_type: "audio/flac" } },
      { kind: "audio", url: "channel:A", mimeType: "audio/flac" },
    ],
    ["a video", { video: { file_id: "F", duration: 1 } }, { kind: "video", url: "channel:F", mimeType: "video/mp4" }],
    ["a round video", { video_note: { file_id: "N", duration: 1 } }, { kind: "video", url: "channel:N", mimeType: "video/mp4" }],
    [
      "a sticker",
      { sticker: { file_id: "K", is_animated: false, is_video: false } },
      { kind: "sticker", url: "channel:K", mimeType: "image/webp" },
    ],
    [
      "an animation, once",
      { animation: { file_id: "G" }, document: { file_id: "G" } },
      { kind: "video", url: "channel:G", mimeType: "video/mp4" },
    ],
  ])("hold %s", (_name, fields, expected) => {
    expect(read({ ...fields, caption: "look" })).toMatchObject({ text: "look", media: [expected] });
  });

  it("read mentions from the caption, and the album they belong to", () => {
    const message = read({
      chat: group,
      photo: [{ file_id: "B", width: 1, height: 1 }],
      caption: "@my_bot see",
      caption_entities: [{ type: "mention", offset: 0, length: 7 }],
      media_group_id: "77",
    });
    expect(message.mentions.bot).toBe(true);
    expect(message.channelData).toMatchObject({ content: "caption", album: "77" });
  });
});

describe("edits", () => {
  it("are events of their own under the id of their message", () => {
    expect(read({ text: "x", edit_date: 1_700_000_009 }, "edited_message")).toMatchObject({ kind: "edit", id: "7", eventId: "1700000009" });
    expect(read({ text: "x" }, "edited_message").eventId).toBe("1000");
    expect(read({ text: "x" }).eventId).toBeUndefined();
  });
});

describe("forwarded messages", () => {
  it.each([
    [{ type: "user", sender_user: ann }, "Ann Lee"],
    [{ type: "hidden_user", sender_user_name: "Somebody" }, "Somebody"],
    [{ type: "chat", sender_chat: group }, "Team"],
    [{ type: "channel", chat: { id: -1002, type: "channel", title: "News" }, message_id: 1 }, "News"],
  ])("say who wrote them: %j", (origin, from) => {
    expect(read({ text: "x", forward_origin: { date: 1, ...origin } }).forwarded).toEqual({ from });
  });
});

describe("what is skipped", () => {
  it.each([
    ["other kinds of update", { update_id: 1, poll: { id: "5" } }],
    ["a broadcast channel", update({ chat: { id: -1005, type: "channel", title: "News" }, text: "x" })],
    ["a notice that somebody joined", update({ chat: group, new_chat_members: [ann] })],
    ["a group that became a supergroup", update({ chat: { ...group, type: "group" }, migrate_to_chat_id: -1002 })],
    ["the supergroup that it became", update({ chat: group, migrate_from_chat_id: -12 })],
  ])("is %s", (_name, value) => {
    expect(normalize(value).kind).toBe("ignored");
  });
});

describe("strange updates", () => {
  it("with unknown fields are read all the same", () => {
    expect(read({ text: "hi", hologram: { deep: [1] }, entities: [{ type: "glow", offset: 0, length: 2 }] }).text).toBe("hi");
  });

  it("with content that has no text are messages with none", () => {
    expect(read({ location: { latitude: 1, longitude: 2 } })).toMatchObject({ text: "", media: [], channelData: { content: "location" } });
  });

  it.each([
    ["no object", "text"],
    ["no chat", { update_id: 1, message: { message_id: 1, date: 1, text: "x" } }],
    ["no sender", update({ from: undefined, text: "x" })],
    ["an id that is no number", update({ message_id: "7", text: "x" })],
    ["an id that a number cannot hold", update({ chat: { ...direct, id: 2 ** 60 }, text: "x" })],
    ["no date", update({ date: null, text: "x" })],
    ["a text that is no text", update({ text: 5 })],
    ["a null for a message", { update_id: 1, message: null }],
  ])("with %s are unreadable, not fatal", (_name, value) => {
    expect(normalize(value)).toMatchObject({ kind: "unreadable", why: expect.any(String) as string });
  });

  it("of any shape never throw", () => {
    fc.assert(fc.property(fc.anything(), (value) => void normalize(value)));
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("text", "photo", "from", "chat", "entities", "reply_to_message", "quote", "date"), fc.anything()),
        (fields) => void normalize(update(fields)),
      ),
    );
  });
});
