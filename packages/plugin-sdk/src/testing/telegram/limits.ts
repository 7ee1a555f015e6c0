/** Limits that the emulator answers with 429. All off unless given. */
export interface RateLimits {
  /** Sends and edits per chat within one second. */
  readonly perChatPerSecond?: number;
  /** Sends and edits of the bot within one second, over all chats. */
  readonly global?: number;
}

const WINDOW_MS = 1000;

/** Counts sends in a sliding second. Nothing is limited in advance: a caller learns from the 429, as on the platform. */
export class RateLimiter {
  limits: RateLimits;
  readonly #sent = new Map<number, number[]>();
  #all: number[] = [];

  constructor(limits: RateLimits) {
    this.limits = limits;
  }

  /** Takes one send to a chat at `now` (ms); returns the seconds to wait when that is one too many. */
  take(chatId: number, now: number): number | undefined {
    const { perChatPerSecond, global } = this.limits;
    if (perChatPerSecond === undefined && global === undefined) return undefined;
    const inChat = recent(this.#sent.get(chatId) ?? [], now);
    this.#all = recent(this.#all, now);
    this.#sent.set(chatId, inChat);
    const wait = Math.max(waitFor(inChat, perChatPerSecond, now), waitFor(this.#all, global, now));
    if (wait > 0) return wait;
    inChat.push(now);
    this.#all.push(now);
    return undefined;
  }
}

function recent(times: readonly number[], now: number): number[] {
  return times.filter((time) => now - time < WINDOW_MS);
}

function waitFor(times: readonly number[], limit: number | undefined, now: number): number {
  const oldest = times[0];
  if (limit === undefined || times.length < limit) return 0;
  return oldest === undefined ? 1 : Math.max(1, Math.ceil((oldest + WINDOW_MS - now) / 1000));
}
