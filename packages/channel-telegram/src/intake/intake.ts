import { type ChannelHost, type GatewayError, type InboundMessage, isGatewayError, toGatewayError } from "@trunkline/plugin-sdk";
import { setImmediate } from "node:timers/promises";
import { LONG_POLL_SECONDS, type TelegramApi } from "../api/api.ts";
import type { Backoff } from "../api/backoff.ts";
import { readFailure, toIntakeError } from "../api/errors.ts";
import { ALLOWED_UPDATES, normalizeUpdate } from "../inbound.ts";
import type { BotIdentity } from "./mentions.ts";
import type { StateReporter } from "./state-reporter.ts";

/** Most updates of one batch; the platform's own maximum. */
const BATCH_LIMIT = 100;

/** After a week without updates the platform starts anywhere with their ids; what we would confirm is confirmed long before. */
const OFFSET_LIFETIME_MS = 6 * 24 * 3_600_000;

/** What the intake loop of one account works with. */
export interface Intake {
  readonly api: TelegramApi;
  readonly token: string;
  /** Where the platform is, for the person who has to find out why it cannot be reached. */
  readonly apiRoot: string;
  readonly host: ChannelHost;
  readonly me: BotIdentity;
  readonly backoff: Backoff;
  readonly state: StateReporter;
  /** Called when what waited on the platform is stored, or cannot be had now; then at every further time. */
  readonly caughtUp: () => void;
  /** Ends the loop; a poll that is open is cut. */
  readonly signal: AbortSignal;
}

/**
 * Receives updates until the signal aborts or the token is refused. One batch is accepted at a time, and only the next getUpdates
 * confirms it: what was not stored comes again. The offset lives in memory alone; after a restart the platform sends what was not
 * confirmed once more, and the inbox knows what it has. Never rejects.
 */
export async function receiveUpdates(intake: Intake): Promise<void> {
  const { state, signal, host } = intake;
  let offset: { readonly value: number; readonly at: number } | undefined;
  let settled = false;
  while (!signal.aborted) {
    const fresh = offset !== undefined && host.clock.monotonic() - offset.at < OFFSET_LIFETIME_MS;
    try {
      const updates = await poll(intake, fresh ? offset?.value : undefined, settled);
      host.alive();
      const next = await accept(intake, updates);
      if (next !== undefined) offset = { value: next, at: host.clock.monotonic() };
      settled = updates.length < BATCH_LIMIT;
      if (settled) intake.caughtUp();
      state.connected();
      intake.backoff.reset();
    } catch (error) {
      if (signal.aborted) return;
      const reason = asIntakeError(intake, error);
      if (reason.code === "CHANNEL_CONFLICT") host.alive(); // the platform answers; it hears somebody else
      intake.caughtUp();
      // The first poll after a failure does not wait for news, so that an account that works again says so at once. Beside a second
      // poller that would prove nothing: short polls slip through, and only a long one that nobody ended shows that we are alone.
      settled = reason.detail["cause"] === "second poller";
      if (!(await recover(intake, reason))) return;
    }
  }
}

async function poll({ api, signal }: Intake, offset: number | undefined, settled: boolean): Promise<readonly unknown[]> {
  const params = {
    limit: BATCH_LIMIT,
    timeout: settled ? LONG_POLL_SECONDS : 0,
    allowed_updates: ALLOWED_UPDATES,
    ...(offset === undefined ? {} : { offset }),
  };
  const updates = await api.call({ method: "getUpdates", params }, signal);
  return Array.isArray(updates) ? updates : [];
}

/** Stores a batch and gives the offset that confirms it; undefined when there was nothing to confirm. Rejects when it was not stored. */
async function accept({ host, me }: Intake, updates: readonly unknown[]): Promise<number | undefined> {
  const messages: InboundMessage[] = [];
  let last: number | undefined;
  for (const update of updates) {
    const updateId = idOf(update);
    if (updateId !== undefined) last = Math.max(last ?? updateId, updateId);
    const normalized = normalizeUpdate(update, me, host.account);
    if (normalized.kind === "message") messages.push(normalized.message);
    if (normalized.kind === "ignored") host.logger.debug({ update: updateId, why: normalized.why }, "Telegram update ignored");
    if (normalized.kind === "unreadable") {
      host.logger.warn({ update: updateId, why: normalized.why }, "Telegram update could not be read; it is kept for a look");
      await host.unreadable({ eventId: String(updateId ?? "unknown"), raw: update, why: normalized.why });
    }
  }
  if (messages.length > 0) {
    await host.receive(messages);
    // Their turns begin before the next poll takes the thread.
    await setImmediate();
  }
  return last === undefined ? undefined : last + 1;
}

/** Reports what went wrong and waits. False when only a person can help. */
async function recover({ host, state, backoff, signal }: Intake, error: GatewayError): Promise<boolean> {
  if (error.code === "CHANNEL_TOKEN_REJECTED") {
    state.report("needs-operator", error);
    return false;
  }
  state.report(error.code === "CHANNEL_CONFLICT" ? "deaf" : "backing-off", error);
  const pause = Math.max(error.retryAfterMs ?? 0, backoff.next());
  host.logger.debug({ code: error.code, pause }, "Telegram intake pauses");
  return host.clock.sleep(pause, signal).then(
    () => true,
    () => false,
  );
}

/** A store that refused the batch says so itself; everything else came from the platform. */
function asIntakeError({ host, token, apiRoot }: Intake, error: unknown): GatewayError {
  if (isGatewayError(error)) return error;
  const failure = readFailure(error, token);
  const fromPlatform = failure.kind === "refused" || (error instanceof Error && error.name === "HttpError");
  return fromPlatform
    ? toIntakeError(failure, host.account, apiRoot)
    : toGatewayError(error, "CHANNEL_FAILED", { channel: "Telegram", account: host.account });
}

function idOf(update: unknown): number | undefined {
  const id: unknown = typeof update === "object" && update !== null ? (update as { readonly update_id?: unknown }).update_id : undefined;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}
