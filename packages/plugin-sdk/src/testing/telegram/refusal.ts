/** What the Bot API adds to some refusals. Source: core.telegram.org/bots/api#responseparameters. */
export interface RefusalParameters {
  /** Seconds to wait before the request may be repeated. */
  readonly retry_after?: number;
  /** The id of the supergroup that a basic group became. */
  readonly migrate_to_chat_id?: number;
}

/**
 * A request that the emulated Bot API turns down; it becomes `{ ok: false, error_code, description }`.
 * `description` is the wording of the real server (telegram-bot-api Client.cpp, `fail_query_with_error`).
 */
export class Refusal extends Error {
  readonly code: number;
  readonly description: string;
  readonly parameters: RefusalParameters | undefined;

  constructor(code: number, description: string, parameters?: RefusalParameters) {
    super(description);
    this.name = "Refusal";
    this.code = code;
    this.description = description;
    this.parameters = parameters;
  }
}

/**
 * A 400. The real server puts "Bad Request: " in front and lowers the first letter of the reason, unless its second
 * character is a capital or "_" (which marks an identifier). Source: telegram-bot-api Client.cpp, `fail_query_with_error`.
 */
export function badRequest(reason: string, parameters?: RefusalParameters): Refusal {
  const identifier = /^.[A-Z_]/.test(reason);
  const worded = identifier ? reason : reason.charAt(0).toLowerCase() + reason.slice(1);
  return new Refusal(400, `Bad Request: ${worded}`, parameters);
}

/** A 403: the bot may not reach this chat. */
export function forbidden(reason: string): Refusal {
  return new Refusal(403, `Forbidden: ${reason}`);
}

/** A 429 that asks for a pause of `seconds`. */
export function tooManyRequests(seconds: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}
