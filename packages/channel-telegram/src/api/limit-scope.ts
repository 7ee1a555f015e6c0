import type { Clock } from "@trunkline/plugin-sdk";
import type { LimitScope } from "./errors.ts";

/** A chat to which nothing went for this long is not limited for its own sake, ms. Source: 1 message a second a chat, 20 a minute a group. */
const QUIET_MS = 60_000;
/** Refusals of quiet chats within this time speak for each other, ms. */
const TOGETHER_MS = 5000;
/** Chats whose last send is remembered. */
const REMEMBERED = 2000;

/** Tells whose limit a 429 is. The platform does not say. */
export interface LimitScopes {
  /** Something goes to a chat. */
  note(chatId: string): void;
  /** A chat was refused for its rate. */
  refused(chatId: string): LimitScope;
}

/**
 * Creates the memory of one account. The account as a whole is limited when two chats in a row are refused that had been quiet: one alone
 * may have been limited before this process began, and must not hold up the others.
 */
export function createLimitScopes(clock: Clock): LimitScopes {
  const last = new Map<string, { readonly at: number; readonly before: number }>();
  let quietRefusal: { readonly chatId: string; readonly at: number } | undefined;
  return {
    note(chatId) {
      const before = last.get(chatId)?.at ?? Number.NEGATIVE_INFINITY;
      last.delete(chatId); // to the end: the map forgets who was silent for longest
      last.set(chatId, { at: clock.monotonic(), before });
      if (last.size > REMEMBERED) for (const oldest of last.keys()) return void last.delete(oldest);
    },
    refused(chatId) {
      const now = clock.monotonic();
      const before = last.get(chatId)?.before ?? Number.NEGATIVE_INFINITY;
      if (now - before < QUIET_MS) return "chat";
      const other = quietRefusal !== undefined && quietRefusal.chatId !== chatId && now - quietRefusal.at < TOGETHER_MS;
      quietRefusal = { chatId, at: now };
      return other ? "account" : "chat";
    },
  };
}
