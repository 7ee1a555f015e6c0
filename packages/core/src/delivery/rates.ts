import type { Clock, ConversationRef, RateCaps } from "@trunkline/plugin-sdk";
import { type AccountRate, createAccountRate, type SendPriority } from "./account-rate.ts";

/** What a platform call is limited by: its account, and within that its chat. Topics of one chat share its limit. */
export type RatePlace = Pick<ConversationRef, "channel" | "account" | "id">;

/**
 * When platform calls may go. Nothing is limited in advance but by the account's own `rates:`; what a platform refuses for its rate
 * closes the chat or the account for as long as the platform says. An account never waits for another.
 */
export interface Rates {
  /** Lets a call go when it need not wait, and says whether it did. It never goes before what waits. */
  tryEnter(place: RatePlace): boolean;
  /** Resolves when a call may go now; the more important of those that wait goes first. Rejects with the signal's reason. */
  enter(place: RatePlace, priority: SendPriority, signal: AbortSignal): Promise<void>;
  /**
   * Whether something that does not count towards the rate may go now: typing, which is lost without harm, or a part that then comes by
   * `enter`.
   */
  admits(place: RatePlace): boolean;
  /** The platform refused a call for its rate: the chat, or all of the account, rests for `ms`. */
  limited(place: RatePlace, scope: "chat" | "account", ms: number): void;
}

export interface RatesDeps {
  readonly clock: Clock;
  /** The account's `rates:` as they are now. */
  readonly capsOf: (channel: string, account: string) => RateCaps | undefined;
}

/** Creates the rates of a gateway: one account's beside the other's. */
export function createRates({ clock, capsOf }: RatesDeps): Rates {
  const accounts = new Map<string, AccountRate>();
  const rateOf = ({ channel, account }: RatePlace): AccountRate => {
    const key = `${channel}:${account}`;
    const existing = accounts.get(key);
    if (existing) return existing;
    const made = createAccountRate(clock, () => capsOf(channel, account) ?? {});
    accounts.set(key, made);
    return made;
  };
  return {
    tryEnter: (place) => rateOf(place).tryEnter(place.id),
    enter: (place, priority, signal) => rateOf(place).enter(place.id, priority, signal),
    admits: (place) => rateOf(place).admits(place.id),
    limited: (place, scope, ms) => rateOf(place).limited(place.id, scope, ms),
  };
}
