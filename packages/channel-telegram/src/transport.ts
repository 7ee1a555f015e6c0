import { setImmediate } from "node:timers/promises";
import {
  type ChannelHost,
  type ConversationRef,
  GatewayError,
  type OutboundPart,
  type Receipt,
  type Transport,
} from "@trunkline/plugin-sdk";
import { type ApiRequest, connectTelegramApi, type TelegramApi, TIMEOUTS } from "./api/api.ts";
import { createBackoff } from "./api/backoff.ts";
import { type ChatCall, createChatCalls } from "./api/chat-calls.ts";
import { type ApiFailure, isGone, isNotModified, outcomeUnknown, readFailure, toDeliveryError, toIntakeError } from "./api/errors.ts";
import { createLimitScopes } from "./api/limit-scope.ts";
import { PUBLIC_API_ROOT, type TelegramConfig } from "./config.ts";
import { reconcilePart } from "./delivery/reconcile.ts";
import { createSends } from "./delivery/sends.ts";
import { checkUploads, withPlainerMedia } from "./delivery/uploads.ts";
import { downloadMedia } from "./intake/downloads.ts";
import { receiveUpdates } from "./intake/intake.ts";
import type { BotIdentity } from "./intake/mentions.ts";
import { createStateReporter } from "./intake/state-reporter.ts";
import { toEditRequest, toRemoveRequest, toSendRequest, toTypingRequest } from "./outbound.ts";

/** The platform shows "typing…" for 5 s. Source: core.telegram.org/bots/api#sendchataction. */
const TYPING_REFRESH_MS = 4000;

/**
 * Shortest time between two edits of a growing answer, ms. Source: the platform's advice of about 1 message a second in a chat, and 20 a
 * minute in a group.
 */
const PREVIEW_EVERY_MS = { direct: 1000, group: 3000 } as const;

/** Longest silence while it polls, ms: a poll gives up before, so that only one that hangs beyond its own time-out gets here. */
const SILENCE_LIMIT_MS = (TIMEOUTS.poll + 25) * 1000;

/** How long `stop` waits for sends on their way. */
const STOP_PATIENCE_MS = 10_000;

/** Connects one account. Nothing is loaded or sent before it is used. */
export function createTelegramTransport(config: TelegramConfig, host: ChannelHost): Transport {
  return new TelegramTransport(config, host);
}

/** The intake of an account, from `start` until it ended. */
interface RunningIntake {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

class TelegramTransport implements Transport {
  readonly typingRefreshMs = TYPING_REFRESH_MS;
  readonly silenceLimitMs = SILENCE_LIMIT_MS;
  readonly #host: ChannelHost;
  readonly #token: string;
  readonly #apiRoot: string;
  readonly #sends = createSends();
  readonly #call: ChatCall;
  readonly #limits: ReturnType<typeof createLimitScopes>;
  #api: Promise<TelegramApi> | undefined;
  #intake: RunningIntake | undefined;

  constructor({ token, apiRoot }: TelegramConfig, host: ChannelHost) {
    this.#host = host;
    this.#token = token;
    this.#apiRoot = apiRoot ?? PUBLIC_API_ROOT;
    this.#call = createChatCalls(() => this.#connected(), token, host.logger);
    this.#limits = createLimitScopes(host.clock);
  }

  async start(): Promise<void> {
    if (this.#intake !== undefined) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#host.signal]);
    const begun = this.#identify(signal);
    const { promise: caughtUp, resolve } = withResolvers();
    const ended = begun
      .then((me) => this.#receive(me, signal, resolve))
      .catch(() => undefined)
      .finally(resolve);
    const intake = { stop, ended };
    this.#intake = intake;
    // An intake that gave up may be started again.
    void ended.then(() => {
      if (this.#intake === intake) this.#intake = undefined;
    });
    await begun;
    // Up means caught up: a search for a lost message then knows the newest ids of all chats.
    await caughtUp;
  }

  async stop(): Promise<void> {
    const { clock } = this.#host;
    const intake = this.#intake;
    intake?.stop.abort();
    let cancel = (): void => undefined;
    const patience = new Promise<void>((resolve) => {
      cancel = clock.timer(STOP_PATIENCE_MS, resolve);
    });
    await Promise.all([Promise.race([intake?.ended, patience]), this.#sends.end(patience)]);
    cancel();
    (await this.#api?.catch(() => undefined))?.close();
  }

  async send(part: OutboundPart, signal: AbortSignal): Promise<Receipt> {
    if (signal.aborted) throw toDeliveryError({ kind: "unsent", reason: "aborted" }, this.#host.account);
    const checked = await checkUploads(part, this.#apiRoot);
    return this.#sends.run(part.conversation.id, signal, (inner) => this.#attempt(checked, inner));
  }

  async edit(part: OutboundPart, messageId: string, signal: AbortSignal): Promise<Receipt> {
    const chatId = part.conversation.id;
    return this.#sends.run(chatId, signal, async (inner) => {
      try {
        return toReceipt(await this.#ask(chatId, toEditRequest(part, messageId), inner), this.#host.account);
      } catch (error) {
        if (error instanceof GatewayError) throw error;
        const failure = readFailure(error, this.#token);
        if (isNotModified(failure)) return { messageId };
        throw this.#refusal(failure, chatId);
      }
    });
  }

  async remove(part: OutboundPart, messageId: string, signal: AbortSignal): Promise<void> {
    const chatId = part.conversation.id;
    await this.#ask(chatId, toRemoveRequest(part.conversation, messageId), signal).catch((error: unknown) => {
      const failure = readFailure(error, this.#token);
      if (!isGone(failure)) throw this.#refusal(failure, chatId);
    });
  }

  previewEveryMs({ kind }: ConversationRef): number {
    return kind === "direct" ? PREVIEW_EVERY_MS.direct : PREVIEW_EVERY_MS.group;
  }

  async typing(conversation: ConversationRef): Promise<void> {
    // Whoever waits for an answer loses nothing when this comes after what the answer needs, or fails.
    await setImmediate();
    await this.#call(conversation.id, toTypingRequest(conversation), this.#host.signal).catch(() => undefined);
  }

  async fetchMedia(
    ...[media, options]: Parameters<NonNullable<Transport["fetchMedia"]>>
  ): ReturnType<NonNullable<Transport["fetchMedia"]>> {
    return downloadMedia({ api: await this.#connected(), token: this.#token }, media, options);
  }

  async reconcile(
    ...[part, evidence, signal]: Parameters<NonNullable<Transport["reconcile"]>>
  ): ReturnType<NonNullable<Transport["reconcile"]>> {
    return reconcilePart({ host: this.#host, token: this.#token, call: this.#call, sends: this.#sends, signal }, part, evidence);
  }

  #connected(): Promise<TelegramApi> {
    this.#api ??= connectTelegramApi(this.#token, this.#apiRoot, this.#host.proxy);
    return this.#api;
  }

  /** Asks who we are, which also tries the token and the network. */
  async #identify(signal: AbortSignal): Promise<BotIdentity> {
    const { account, logger } = this.#host;
    const api = await this.#connected();
    const me = await api.call({ method: "getMe", params: {} }, signal).catch((error: unknown) => {
      throw toIntakeError(readFailure(error, this.#token), account, this.#apiRoot);
    });
    const { id, username } = (me ?? {}) as { readonly id?: unknown; readonly username?: unknown };
    if (typeof id !== "number" || typeof username !== "string")
      throw toIntakeError({ kind: "lost", reason: "getMe names no bot" }, account, this.#apiRoot);
    this.#host.alive();
    logger.info({ bot: username }, "Telegram knows the bot");
    return { id: String(id), username };
  }

  async #receive(me: BotIdentity, signal: AbortSignal, caughtUp: () => void): Promise<void> {
    const backoff = createBackoff(`${me.id}/${this.#host.account}`);
    const state = createStateReporter(this.#host);
    await receiveUpdates({
      api: await this.#connected(),
      token: this.#token,
      apiRoot: this.#apiRoot,
      host: this.#host,
      me,
      backoff,
      state,
      caughtUp,
      signal,
    });
  }

  /** Sends, and once more in a plainer form when the platform takes the medium only so. */
  async #attempt(part: OutboundPart, signal: AbortSignal): Promise<Receipt> {
    const { account } = this.#host;
    const { id: chatId } = part.conversation;
    const request = toSendRequest(part);
    try {
      return toReceipt(await this.#ask(chatId, request, signal), account);
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      const failure = readFailure(error, this.#token);
      const plainer = withPlainerMedia(part, failure);
      if (plainer !== undefined) return this.#attempt(plainer, signal);
      throw this.#refusal(failure, chatId, part.media?.[0]?.fileName);
    }
  }

  /** A call that counts towards the limits of its chat. */
  #ask(chatId: string, request: ApiRequest, signal: AbortSignal): Promise<unknown> {
    this.#limits.note(chatId);
    return this.#call(chatId, request, signal);
  }

  #refusal(failure: ApiFailure, chatId: string, file?: string): GatewayError {
    const limited = failure.kind === "refused" && failure.code === 429;
    return toDeliveryError(failure, this.#host.account, file, limited ? this.#limits.refused(chatId) : "chat");
  }
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}

/** The platform's proof. An album answers with a list, of which the first item carries the caption. */
function toReceipt(result: unknown, account: string): Receipt {
  const message: unknown = Array.isArray(result) ? result[0] : result;
  const { message_id: id, date } = (message ?? {}) as { readonly message_id?: unknown; readonly date?: unknown };
  if (typeof id !== "number") throw outcomeUnknown(account, "the answer names no message");
  return { messageId: String(id), ...(typeof date === "number" ? { at: date * 1000 } : {}) };
}
