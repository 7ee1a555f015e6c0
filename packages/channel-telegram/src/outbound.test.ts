import type { MediaKind, OutboundPart } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { redirect, toSendRequest, toTypingRequest } from "./outbound.ts";

const chat = { channel: "telegram", account: "main", kind: "group", id: "-1001" } as const;
const part = (fields: Partial<OutboundPart>): OutboundPart => ({ id: "ob_1", key: "k", conversation: chat, ...fields });
const text = (value: string, entities: NonNullable<OutboundPart["text"]>["entities"] = []) => ({
  text: value,
  entities,
  length: value.length,
  plain: value,
});
const file = (kind: MediaKind, fileName = "cat.png") => ({ kind, path: "/data/media/cat", fileName, mimeType: "application/octet-stream" });
const local = { localFile: { path: "/data/media/cat", fileName: "cat.png" } };

describe("a text", () => {
  it("goes with entities and never with a parse mode", () => {
    const entities = [{ type: "bold", offset: 0, length: 2 }] as const;
    expect(toSendRequest(part({ text: text("hi", entities) }))).toEqual({
      method: "sendMessage",
      params: { chat_id: -1001, text: "hi", entities },
    });
    expect(toSendRequest(part({ text: text("hi") })).params).toEqual({ chat_id: -1001, text: "hi" });
  });

  it("with tags in it goes with the parse mode that they need, a caption too", () => {
    const html = { text: "<b>hi</b>", markup: "html" as const, length: 2, plain: "hi" };
    expect(toSendRequest(part({ text: html })).params).toEqual({ chat_id: -1001, text: "<b>hi</b>", parse_mode: "HTML" });
    expect(toSendRequest(part({ text: html, media: [file("image")] })).params).toMatchObject({ caption: "<b>hi</b>", parse_mode: "HTML" });
  });

  it("answers a message without depending on it", () => {
    const request = toSendRequest(part({ text: text("hi"), replyToId: "55" }));
    expect(request.params["reply_parameters"]).toEqual({ message_id: 55, allow_sending_without_reply: true });
    expect(toSendRequest(part({ text: text("hi"), replyToId: "x" })).params).not.toHaveProperty("reply_parameters");
  });

  it("is refused when there is nothing to send", () => {
    expect(() => toSendRequest(part({}))).toThrow(expect.objectContaining({ code: "DELIVERY_REFUSED" }) as Error);
  });
});

describe("the topic", () => {
  it("is named in every kind of call", () => {
    const conversation = { ...chat, threadId: "285" };
    const calls = [
      toSendRequest(part({ conversation, text: text("x") })),
      toSendRequest(part({ conversation, media: [file("voice")] })),
      toSendRequest(part({ conversation, media: [file("image"), file("image")] })),
      toTypingRequest(conversation),
    ];
    for (const call of calls) expect(call.params, call.method).toMatchObject({ chat_id: -1001, message_thread_id: 285 });
  });

  it("General is left out, except in private chats, where 1 is a topic like others", () => {
    expect(toSendRequest(part({ conversation: { ...chat, threadId: "1" }, text: text("x") })).params).not.toHaveProperty(
      "message_thread_id",
    );
    expect(toTypingRequest({ ...chat, kind: "direct", id: "42", threadId: "1" }).params).toEqual({
      chat_id: 42,
      message_thread_id: 1,
      action: "typing",
    });
  });
});

describe("media", () => {
  it.each([
    ["image", "sendPhoto", "photo"],
    ["document", "sendDocument", "document"],
    ["voice", "sendVoice", "voice"],
    ["audio", "sendAudio", "audio"],
    ["video", "sendVideo", "video"],
  ] as const)("of kind %s go by %s, with caption", (kind, method, field) => {
    const entities = [{ type: "italic", offset: 0, length: 4 }] as const;
    expect(toSendRequest(part({ media: [file(kind)], text: text("look", entities) }))).toEqual({
      method,
      params: { chat_id: -1001, [field]: local, caption: "look", caption_entities: entities },
    });
  });

  it("need no caption, and a sticker that has one is a document", () => {
    expect(toSendRequest(part({ media: [file("image")] })).params).toEqual({ chat_id: -1001, photo: local });
    expect(toSendRequest(part({ media: [file("sticker")] })).method).toBe("sendSticker");
    expect(toSendRequest(part({ media: [file("sticker")], text: text("x") })).method).toBe("sendDocument");
  });

  it("in one part are an album with the caption on its first", () => {
    const request = toSendRequest(part({ media: [file("image"), file("video")], text: text("both") }));
    expect(request).toEqual({
      method: "sendMediaGroup",
      params: {
        chat_id: -1001,
        media: [
          { type: "photo", media: local, caption: "both" },
          { type: "video", media: local },
        ],
      },
    });
    const mixed = toSendRequest(part({ media: [file("image"), file("document")] })).params["media"];
    expect(mixed).toEqual([
      { type: "document", media: local },
      { type: "document", media: local },
    ]);
  });

  it("that are no album are refused", () => {
    for (const media of [[file("voice"), file("voice")], Array.from({ length: 11 }, () => file("image"))]) {
      expect(() => toSendRequest(part({ media }))).toThrow(expect.objectContaining({ code: "DELIVERY_REFUSED" }) as Error);
    }
  });

  it("have names that cannot break out of their header or mislead", () => {
    const request = toSendRequest(part({ media: [file("document", 'a";\r\nx: y\u202Egpj.exe')] }));
    expect(request.params["document"]).toEqual({ localFile: { path: "/data/media/cat", fileName: "a____x: y_gpj.exe" } });
  });
});

describe("a redirected call", () => {
  it("is the same but for the chat", () => {
    expect(redirect({ method: "sendMessage", params: { chat_id: -5, text: "x" } }, "-1007")).toEqual({
      method: "sendMessage",
      params: { chat_id: -1007, text: "x" },
    });
  });
});
