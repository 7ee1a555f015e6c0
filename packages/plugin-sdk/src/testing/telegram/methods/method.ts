import type { Params } from "../params.ts";
import type { WireMessage } from "../wire.ts";
import type { World } from "../world.ts";

/** One call of the bot. */
export interface Call {
  readonly world: World;
  readonly params: Params;
  /** Fires when the caller hung up or the server stops. */
  readonly signal: AbortSignal;
}

/** What a method answers. */
export interface Answer {
  readonly result: unknown;
  /** A remark beside the result, as setWebhook gives. */
  readonly description?: string;
  /** The messages that the call sent or changed. */
  readonly messages?: readonly WireMessage[];
}

/** A method of the Bot API. @throws Refusal for everything the real server turns down. */
export type Method = (call: Call) => Answer | Promise<Answer>;
