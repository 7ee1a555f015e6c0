import type { Clock, RateCaps } from "@trunkline/plugin-sdk";
import { createPace, type Pace } from "./pace.ts";

/** What waits for an account, the most important first: the end of an answer before its beginnings, and both before what is only for show. */
export const SEND_PRIORITIES = ["final", "block", "tool", "edit", "typing"] as const;
export type SendPriority = (typeof SEND_PRIORITIES)[number];

/** The rate of one account; see `Rates`. */
export interface AccountRate {
  tryEnter(chat: string): boolean;
  enter(chat: string, priority: SendPriority, signal: AbortSignal): Promise<void>;
  admits(chat: string): boolean;
  limited(chat: string, scope: "chat" | "account", ms: number): void;
}

/** Chats that are remembered at most; a chat at rest is as good as a forgotten one. */
const CHATS = 2000;
/** Calls of the last second that are counted at most. */
const COUNTED = 1000;
/** How long an account that was limited as a whole keeps to what had passed, ms. Then it is open again, and learns anew. */
const LEARNED_MS = 30_000;
/** The slowest pace that is learned, calls a second: a limit may come from what another program sends. */
const SLOWEST_LEARNED = 5;

interface Waiter {
  readonly chat: string;
  readonly go: () => void;
}

/** Creates the rate of one account. Its waiters are bounded by the conversations that have something to send. */
export function createAccountRate(clock: Clock, caps: () => RateCaps): AccountRate {
  const waiting: Waiter[][] = SEND_PRIORITIES.map(() => []);
  const chats = new Map<string, Pace>();
  const whole = createPace();
  let learned = { perSecond: Infinity, until: 0 };
  /** Monotonic ms of the calls of the last second, oldest first. */
  const calls: number[] = [];
  let cancel: (() => void) | undefined;

  const perSecond = (now: number): number => Math.min(caps().perSecond ?? Infinity, now < learned.until ? learned.perSecond : Infinity);
  const opensAt = (chat: string, now: number): number =>
    Math.max(whole.opensAt(perSecond(now)), chats.get(chat)?.opensAt(caps().perChatPerSecond ?? Infinity) ?? 0);

  const paceOf = (chat: string, now: number): Pace => {
    const existing = chats.get(chat);
    if (existing) return existing;
    if (chats.size >= CHATS) for (const [name, pace] of chats) if (pace.isAtRest(now)) chats.delete(name);
    const made = createPace();
    chats.set(chat, made);
    return made;
  };

  const forgetOldCalls = (now: number): void => {
    while (calls.length > 0 && now - calls[0]! >= 1000) calls.shift();
  };

  const take = (chat: string, now: number): void => {
    whole.take(now, perSecond(now));
    const { perChatPerSecond } = caps();
    if (perChatPerSecond !== undefined) paceOf(chat, now).take(now, perChatPerSecond);
    forgetOldCalls(now);
    if (calls.length > COUNTED) calls.shift();
    calls.push(now);
  };

  /** Lets go whoever may, in order of importance, and looks again when the next one may. */
  const pump = (): void => {
    cancel?.();
    cancel = undefined;
    const now = clock.monotonic();
    let next = Infinity;
    for (const line of waiting) {
      for (let index = 0; index < line.length;) {
        const waiter = line[index]!;
        const at = opensAt(waiter.chat, now);
        if (at > now) {
          next = Math.min(next, at);
          index += 1;
          continue;
        }
        line.splice(index, 1);
        take(waiter.chat, now);
        waiter.go();
      }
    }
    if (next < Infinity) cancel = clock.timer(Math.ceil(next - now), pump);
  };

  /** Whether nobody waits and a call may go now. */
  const isOpen = (chat: string, now: number): boolean => waiting.every((line) => line.length === 0) && opensAt(chat, now) <= now;

  return {
    tryEnter(chat) {
      const now = clock.monotonic();
      if (!isOpen(chat, now)) return false;
      take(chat, now);
      return true;
    },
    enter(chat, priority, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const line = waiting[SEND_PRIORITIES.indexOf(priority)]!;
        const leave = (): void => {
          line.splice(line.indexOf(waiter), 1);
          reject(signal.reason as Error);
        };
        const waiter: Waiter = {
          chat,
          go() {
            signal.removeEventListener("abort", leave);
            resolve();
          },
        };
        signal.addEventListener("abort", leave, { once: true });
        line.push(waiter);
        pump();
      });
    },
    admits: (chat) => isOpen(chat, clock.monotonic()),
    limited(chat, scope, ms) {
      const now = clock.monotonic();
      if (scope === "chat") paceOf(chat, now).rest(now + ms);
      else {
        forgetOldCalls(now);
        learned = { perSecond: Math.max(SLOWEST_LEARNED, calls.length), until: now + ms + LEARNED_MS };
        whole.rest(now + ms);
      }
      pump();
    },
  };
}
