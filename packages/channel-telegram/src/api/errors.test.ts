import { describe, expect, it } from "vitest";
import { readFailure, toDeliveryError, toIntakeError } from "./errors.ts";
import { HttpFault } from "./http.ts";

const token = "123456789:AAEabcdefghijklmnopqrstuvwxyz012345";

// The shapes that grammY throws, without grammY: its GrammyError carries the API's fields, its HttpError what fetch threw.
const refusal = (error_code: number, description: string, parameters: object = {}) =>
  Object.assign(new Error(`Call to 'sendMessage' failed! (${error_code}: ${description})`), {
    name: "GrammyError",
    ok: false,
    method: "sendMessage",
    payload: { text: "secret words" },
    error_code,
    description,
    parameters,
  });
const broken = (error: Error & { code?: string; syscall?: string }) =>
  Object.assign(new Error("Network request for 'sendMessage' failed!"), { name: "HttpError", error });
const fault = (sent: boolean, code: string, message = code) => broken(new HttpFault(Object.assign(new Error(message), { code }), sent));

const deliver = (error: unknown) => toDeliveryError(readFailure(error, token), "main", "cat.png");
const intake = (error: unknown) => toIntakeError(readFailure(error, token), "main", "https://user:pass@bots.example.org:8443/telegram");

describe("what a refusal means for a delivery", () => {
  it.each([
    [400, "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 6", "DELIVERY_MARKUP_REFUSED"],
    [400, "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 3", "DELIVERY_MARKUP_REFUSED"],
    [400, "Bad Request: ENTITY_BOUNDS_INVALID", "DELIVERY_MARKUP_REFUSED"],
    [400, "Bad Request: strings must be encoded in UTF-8", "DELIVERY_MARKUP_REFUSED"],
    [400, "Bad Request: message is too long", "DELIVERY_TOO_LONG"],
    [400, "Bad Request: message caption is too long", "DELIVERY_TOO_LONG"],
    [400, "Bad Request: MEDIA_CAPTION_TOO_LONG", "DELIVERY_TOO_LONG"],
    [400, "Bad Request: message thread not found", "DELIVERY_THREAD_GONE"],
    [400, "Bad Request: TOPIC_DELETED", "DELIVERY_THREAD_GONE"],
    [400, "Bad Request: message to be replied not found", "DELIVERY_REPLY_GONE"],
    [400, "Bad Request: reply message not found", "DELIVERY_REPLY_GONE"],
    [400, "Bad Request: QUOTE_TEXT_INVALID", "DELIVERY_REPLY_GONE"],
    [400, "Bad Request: chat not found", "DELIVERY_NO_ACCESS"],
    [400, "Bad Request: not enough rights to send text messages to the chat", "DELIVERY_NO_ACCESS"],
    [400, "Bad Request: message text is empty", "DELIVERY_REFUSED"],
    [400, "Bad Request: bot can't initiate conversation with a user", "DELIVERY_NO_ACCESS"],
    [400, "Bad Request: group chat was deactivated", "DELIVERY_NO_ACCESS"],
    [400, "Bad Request: need administrator rights in the channel chat", "DELIVERY_NO_ACCESS"],
    [403, "Forbidden: something that this version does not know", "DELIVERY_NO_ACCESS"],
    [400, "Bad Request: text must be non-empty", "DELIVERY_REFUSED"],
    [400, "Bad Request: REPLY_MESSAGE_ID_INVALID", "DELIVERY_REPLY_GONE"],
    [400, "Bad Request: message to edit not found", "DELIVERY_EDIT_GONE"],
    [400, "Bad Request: message can't be edited", "DELIVERY_EDIT_GONE"],
    [400, "Bad Request: there is no text in the message to edit", "DELIVERY_EDIT_GONE"],
    [400, "Bad Request: BUTTON_DATA_INVALID", "DELIVERY_REFUSED"],
    [400, "Bad Request: TOPIC_CLOSED", "DELIVERY_REFUSED"],
    [403, "Forbidden: bot was blocked by the user", "DELIVERY_NO_ACCESS"],
    [403, "Forbidden: bot was kicked from the supergroup chat", "DELIVERY_NO_ACCESS"],
    [403, "Forbidden: user is deactivated", "DELIVERY_NO_ACCESS"],
    [413, "Request Entity Too Large", "DELIVERY_MEDIA_REFUSED"],
    [400, "Bad Request: PHOTO_INVALID_DIMENSIONS", "DELIVERY_MEDIA_REFUSED"],
    [400, "Bad Request: file must be non-empty", "DELIVERY_MEDIA_REFUSED"],
    [404, "Not Found: method not found", "DELIVERY_REFUSED"],
    [401, "Unauthorized", "CHANNEL_TOKEN_REJECTED"],
    [404, "Not Found", "CHANNEL_TOKEN_REJECTED"],
    [500, "Internal Server Error", "DELIVERY_OUTCOME_UNKNOWN"],
    [502, "Bad Gateway", "DELIVERY_OUTCOME_UNKNOWN"],
    [504, "Gateway Timeout", "DELIVERY_OUTCOME_UNKNOWN"],
  ])("%i %s is %s", (code, description, expected) => {
    expect(deliver(refusal(code, description)).code).toBe(expected);
  });

  it("429 waits as long as the platform asks, in this chat only", () => {
    const error = deliver(refusal(429, "Too Many Requests: retry after 33", { retry_after: 33 }));
    expect(error).toMatchObject({ code: "DELIVERY_RETRY", retryable: true, retryAfterMs: 33_000, detail: { scope: "chat" } });
  });

  it("a wait that a 400 names is a wait", () => {
    const error = deliver(refusal(400, "Bad Request: SLOWMODE_WAIT_12"));
    expect(error).toMatchObject({ code: "DELIVERY_RETRY", retryable: true, retryAfterMs: 12_000 });
  });

  it("names the reason in its sentence", () => {
    expect(deliver(refusal(403, "Forbidden: bot was blocked by the user")).message).toBe(
      "Telegram does not let the bot write into this chat: Forbidden: bot was blocked by the user.",
    );
  });
});

describe("a network failure", () => {
  it.each([
    ["ECONNREFUSED", "ECONNREFUSED"],
    ["ENOTFOUND", "ENOTFOUND"],
    ["CERT_HAS_EXPIRED", "CERT_HAS_EXPIRED"],
  ])("before the request leaves sent nothing: %s", (code, reason) => {
    expect(deliver(fault(false, code))).toMatchObject({ code: "DELIVERY_RETRY", retryable: true, detail: { reason } });
  });

  it.each([
    ["ECONNRESET", "ECONNRESET"],
    ["EPIPE", "EPIPE"],
    ["", "network error"],
  ])("after that may have sent it: %s", (code, reason) => {
    expect(deliver(fault(true, code))).toMatchObject({ code: "DELIVERY_OUTCOME_UNKNOWN", detail: { reason } });
  });

  it("includes answers that are no JSON, time limits and whatever else was thrown", () => {
    const json = new SyntaxError(`Unexpected token '<', "<html>${token}" is not valid JSON`);
    expect(deliver(broken(json))).toMatchObject({ code: "DELIVERY_OUTCOME_UNKNOWN", detail: { reason: "the answer is not JSON" } });
    expect(deliver(broken(new Error("Request to 'sendMessage' timed out after 30 seconds")))).toMatchObject({
      code: "DELIVERY_OUTCOME_UNKNOWN",
      detail: { reason: "timeout" },
    });
    for (const odd of [undefined, null, "x", 5, {}, new Error("?")]) expect(deliver(odd).code).toBe("DELIVERY_OUTCOME_UNKNOWN");
  });

  it("in reading a file to upload is the file's", () => {
    const gone = Object.assign(new Error("ENOENT: no such file or directory, open '/data/cat.png'"), { code: "ENOENT", syscall: "open" });
    expect(deliver(broken(gone))).toMatchObject({ code: "DELIVERY_MEDIA_REFUSED", message: "The file cat.png cannot be sent." });
  });
});

describe("what failed intake means for the account", () => {
  it("a refused token needs its owner, who learns where to get another", () => {
    for (const error of [refusal(401, "Unauthorized"), refusal(404, "Not Found")]) {
      expect(intake(error)).toMatchObject({
        code: "CHANNEL_TOKEN_REJECTED",
        retryable: false,
        hint: expect.stringContaining("@BotFather") as string,
      });
    }
  });

  it("a conflict says which of its two causes it has", () => {
    const webhook = intake(
      refusal(409, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"),
    );
    expect(webhook).toMatchObject({
      code: "CHANNEL_CONFLICT",
      detail: { cause: "webhook" },
      hint: expect.stringContaining("deleteWebhook") as string,
    });
    const second = intake(
      refusal(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"),
    );
    expect(second).toMatchObject({
      code: "CHANNEL_CONFLICT",
      detail: { cause: "second poller" },
      hint: expect.stringContaining("Another program") as string,
    });
  });

  it("a rate limit is a pause, and anything else a platform that cannot be reached", () => {
    expect(intake(refusal(429, "Too Many Requests", { retry_after: 5 }))).toMatchObject({
      code: "CHANNEL_UNREACHABLE",
      retryable: true,
      retryAfterMs: 5000,
    });
    expect(intake(refusal(502, "Bad Gateway"))).toMatchObject({ code: "CHANNEL_UNREACHABLE", retryable: true });
    expect(intake(fault(false, "ECONNREFUSED"))).toMatchObject({ code: "CHANNEL_UNREACHABLE", retryable: true });
  });
});

describe("errors", () => {
  it("never hold the token, a URL or what was said", () => {
    const echo = refusal(400, `Bad Request: /bot${token}/sendMessage has "secret words"`);
    const deliverShort = toDeliveryError(readFailure(refusal(400, "Bad Request: 7:short"), "7:short"), "main");
    const all = [fault(true, "ECONNRESET", `request to https://api.telegram.org/bot${token}`), fault(false, ""), echo].flatMap((error) => [
      deliver(error),
      intake(error),
    ]);
    expect(deliverShort.detail["reason"]).toBe("Bad Request: [redacted]");
    for (const error of all) {
      const shown = JSON.stringify([error.message, error.hint, error.detail, String(error.cause ?? "")]);
      expect(shown).not.toContain(token);
      expect(shown).not.toContain("api.telegram.org");
      expect(shown).not.toContain("secret words");
    }
  });
});
