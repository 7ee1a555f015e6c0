import { type ErrorCode, GatewayError } from "@trunkline/plugin-sdk";
import { HttpFault } from "./http.ts";

/** How a call to the Bot API failed, as far as the caller can know. No field ever holds the token, a URL or message text. */
export type ApiFailure =
  /** The platform answered with an error. */
  | {
      readonly kind: "refused";
      readonly code: number;
      readonly description: string;
      readonly retryAfterMs?: number;
      /** The supergroup that a basic group became. */
      readonly migratedTo?: string;
    }
  /** No connection came about: nothing left this machine. */
  | { readonly kind: "unsent"; readonly reason: string }
  /** The request may have arrived: the connection broke, timed out, or the answer was no JSON. */
  | { readonly kind: "lost"; readonly reason: string }
  /** A file to upload could not be read. The request was cut, and the platform takes no half upload. */
  | { readonly kind: "file"; readonly reason: string };

const channel = "Telegram";

/** What the Bot API's refusals mean for a delivery; the first match counts. Wordings: telegram-bot-api Client.cpp and td. */
const REFUSALS: readonly (readonly [description: RegExp, code: ErrorCode])[] = [
  [
    /message to edit not found|message can't be edited|no (?:text|caption) in the message to edit|MESSAGE_EDIT_TIME_EXPIRED/i,
    "DELIVERY_EDIT_GONE",
  ],
  [/message thread not found|TOPIC_DELETED|TOPIC_ID_INVALID/i, "DELIVERY_THREAD_GONE"],
  [
    /(?:message to be replied|message to reply|replied message|reply message) not found|QUOTE_TEXT_INVALID|REPLY_MESSAGE_ID_INVALID/i,
    "DELIVERY_REPLY_GONE",
  ],
  [/(?:message|caption|text) is too long|MESSAGE_TOO_LONG|CAPTION_TOO_LONG/i, "DELIVERY_TOO_LONG"],
  [
    /request entity too large|file is too big|file must be non-empty|VOICE_MESSAGES_FORBIDDEN|PHOTO_\w+|IMAGE_\w+|wrong file identifier|wrong type of/i,
    "DELIVERY_MEDIA_REFUSED",
  ],
  [/can't parse|\bentit(?:y|ies)\b|ENTITY_|ENTITIES_|encoded in UTF-8/i, "DELIVERY_MARKUP_REFUSED"],
  [
    /chat not found|user not found|group chat was deactivated|bot was (?:blocked|kicked)|user is deactivated|bot is not a member|can't initiate conversation|can't send messages to bots|need administrator rights|have no rights to send|not enough rights to send text|CHAT_WRITE_FORBIDDEN|CHAT_RESTRICTED|PEER_ID_INVALID|USER_IS_BLOCKED|USER_IS_BOT/i,
    "DELIVERY_NO_ACCESS",
  ],
];

/** Waits that the platform names in a 400, in seconds: slow mode of a group, and floods. Source: core.telegram.org/api/errors#420-flood. */
const WAITS = /\b(?:SLOWMODE_WAIT|FLOOD_WAIT|FLOOD_PREMIUM_WAIT)_(\d{1,6})\b/;

/** Whose rate a refusal is about: the chat's, or that of the whole account. */
export type LimitScope = "chat" | "account";

/** Reads whatever a call through grammY threw. `token` is blanked wherever a server might have echoed it. */
export function readFailure(error: unknown, token: string): ApiFailure {
  const { error_code: code, description, parameters } = fieldsOf(error);
  if (typeof code === "number") return refused(code, clean(String(description ?? ""), token), fieldsOf(parameters));
  // grammY's HttpError holds what our fetch rejected with, what broke an upload, or a limit of its own.
  const inner = fieldsOf(error)["error"] ?? error;
  if (inner instanceof HttpFault) return { kind: inner.sent ? "lost" : "unsent", reason: inner.reason };
  const { code: system, syscall, message } = fieldsOf(inner);
  if (syscall === "open" || syscall === "read") return { kind: "file", reason: String(system) };
  return { kind: "lost", reason: shortReason(String(message ?? "")) };
}

/** The error that `Transport.send` rejects with. */
export function toDeliveryError(failure: ApiFailure, account: string, file = "attachment", scope: LimitScope = "chat"): GatewayError {
  if (failure.kind === "file")
    return new GatewayError("DELIVERY_MEDIA_REFUSED", { detail: { channel, account, file, reason: failure.reason } });
  if (failure.kind === "unsent") {
    return new GatewayError("DELIVERY_RETRY", { detail: { channel, account, scope: "account", reason: failure.reason }, retryable: true });
  }
  if (failure.kind === "lost") return outcomeUnknown(account, failure.reason);
  const { code, description, retryAfterMs } = failure;
  const detail = { channel, account, reason: description, status: code };
  const named = WAITS.exec(description)?.[1];
  if (code === 429 || named !== undefined) {
    const wait = retryAfterMs ?? Number(named ?? 1) * 1000;
    return new GatewayError("DELIVERY_RETRY", { detail: { ...detail, scope }, retryable: true, retryAfterMs: wait });
  }
  if (code >= 500) return outcomeUnknown(account, description);
  if (isTokenRefusal(failure)) return tokenRejected(account);
  const known = REFUSALS.find(([pattern]) => pattern.test(description))?.[1] ?? (code === 403 ? "DELIVERY_NO_ACCESS" : "DELIVERY_REFUSED");
  return new GatewayError(known, { detail: known === "DELIVERY_MEDIA_REFUSED" ? { ...detail, file } : detail });
}

/** Whether an edit failed only because nothing would change. */
export function isNotModified(failure: ApiFailure): boolean {
  return failure.kind === "refused" && failure.code === 400 && /message is not modified/i.test(failure.description);
}

/** Whether a deletion failed because the message is gone already. */
export function isGone(failure: ApiFailure): boolean {
  return failure.kind === "refused" && failure.code === 400 && /message to delete not found|MESSAGE_ID_INVALID/i.test(failure.description);
}

/** It may have arrived; also what a 5xx means, since the platform does not say whether it failed before or after the effect. */
export function outcomeUnknown(account: string, reason: string): GatewayError {
  return new GatewayError("DELIVERY_OUTCOME_UNKNOWN", { detail: { channel, account, reason } });
}

/** The error of an account whose intake failed, for `ChannelHost.report` and `Transport.start`. `apiRoot` is where it was tried. */
export function toIntakeError(failure: ApiFailure, account: string, apiRoot: string): GatewayError {
  if (isTokenRefusal(failure)) return tokenRejected(account);
  if (failure.kind === "refused" && failure.code === 409) return conflict(account, failure.description);
  const reason = failure.kind === "refused" ? `${failure.code} ${failure.description}` : failure.reason;
  const wait = failure.kind === "refused" ? failure.retryAfterMs : undefined;
  const hint = wait === undefined ? adviceFor(failure, hostOf(apiRoot)) : `Telegram asked for a pause of ${wait / 1000} s; nothing to do.`;
  return new GatewayError("CHANNEL_UNREACHABLE", {
    detail: { channel, account, reason, host: hostOf(apiRoot) },
    retryable: true,
    ...(hint === undefined ? {} : { hint }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  });
}

/** What getaddrinfo fails with. Source: nodejs.org/api/dns.html#error-codes. */
const NO_NAME = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL"]);

function adviceFor(failure: ApiFailure, host: string): string | undefined {
  if (failure.kind === "refused") return undefined;
  if (NO_NAME.has(failure.reason)) {
    return `The name ${host.replace(/:\d+$/, "")} cannot be resolved (${failure.reason}). Check this machine's DNS and network; the gateway keeps trying.`;
  }
  return `No answer from ${host} (${failure.reason}). Check the network and the platform's status; the gateway keeps trying.`;
}

/** Host and port alone: the rest of an address may hold what nobody should read. */
function hostOf(apiRoot: string): string {
  return URL.canParse(apiRoot) ? new URL(apiRoot).host : "the platform";
}

/** A wrong token is 401; one of an impossible form, or of a deleted bot, 404 "Not Found". */
function isTokenRefusal(failure: ApiFailure): boolean {
  if (failure.kind !== "refused") return false;
  return failure.code === 401 || (failure.code === 404 && !/method/i.test(failure.description));
}

function tokenRejected(account: string): GatewayError {
  const hint = `Open @BotFather in Telegram, choose the bot under /mybots, "API Token", and put the token into channels.telegram.accounts.${account}.token.`;
  return new GatewayError("CHANNEL_TOKEN_REJECTED", { detail: { channel, account }, hint });
}

/** 409 has two causes, which only the wording tells apart. Source: telegram-bot-api Client.cpp. */
function conflict(account: string, description: string): GatewayError {
  const webhook = /webhook/i.test(description);
  const hint = webhook
    ? "The bot has a webhook, so Telegram sends its messages there. Remove it if nobody needs it any more (call deleteWebhook with this token), or use another bot here."
    : "Another program polls with this token (a second gateway, a test bot). Stop it, or create another bot with @BotFather.";
  return new GatewayError("CHANNEL_CONFLICT", {
    detail: { channel, account, cause: webhook ? "webhook" : "second poller" },
    hint,
    retryable: true,
  });
}

function refused(code: number, description: string, parameters: Readonly<Record<string, unknown>>): ApiFailure {
  const { retry_after: seconds, migrate_to_chat_id: chat } = parameters;
  return {
    kind: "refused",
    code,
    description,
    ...(typeof seconds === "number" && seconds >= 0 ? { retryAfterMs: Math.ceil(seconds * 1000) } : {}),
    ...(typeof chat === "number" || typeof chat === "string" ? { migratedTo: String(chat) } : {}),
  };
}

/** Some descriptions quote the text that was sent, and a server of any kind may echo the path, which holds the token. */
function clean(description: string, token: string): string {
  return description
    .replaceAll(token, "[redacted]")
    .replace(/\d{5,}:[\w-]{20,}/g, "[redacted]")
    .replace(/"[^"]*"/g, '"…"')
    .slice(0, 200);
}

/** Names a failure without its text, which may be anybody's. */
function shortReason(message: string): string {
  if (/timed out/.test(message)) return "timeout";
  return /json/i.test(message) ? "the answer is not JSON" : "network error";
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
