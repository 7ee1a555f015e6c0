import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";

export interface GatewayErrorOptions {
  /** The values that the message names, and what a log reader needs. Never a secret, never message text. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Replaces the table's next step where a better one is known. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Trying the same again may work. */
  readonly retryable?: boolean;
  /** Earliest sensible retry, in ms from now, when the other side said so. */
  readonly retryAfterMs?: number;
}

/**
 * The one error class. A code of the table gives the sentence and the next step; `detail` the bad value.
 * Whoever shows it to a person prints `message` and `hint`, never the stack.
 */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, options: GatewayErrorOptions = {}) {
    const detail = options.detail ?? {};
    super(fill(ERROR_CODES[code][0], detail), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? fill(ERROR_CODES[code][1], detail);
    this.detail = detail;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Whether a value is a GatewayError, optionally of one of these codes. */
export function isGatewayError(value: unknown, ...codes: readonly ErrorCode[]): value is GatewayError {
  return value instanceof GatewayError && (codes.length === 0 || codes.includes(value.code));
}

/** The value as a GatewayError: itself, or wrapped under `code` with the original as cause. */
export function toGatewayError(
  value: unknown,
  code: ErrorCode = "GATEWAY_BUG",
  detail: Readonly<Record<string, unknown>> = {},
): GatewayError {
  return value instanceof GatewayError ? value : new GatewayError(code, { detail, cause: value });
}

/** A short, single-line description of any thrown value, for logs. */
export function describeError(value: unknown): string {
  return describe(value, 5).replace(/\s+/g, " ").slice(0, 1000);
}

/** Bounded in depth: causes may form a circle. */
function describe(value: unknown, depth: number): string {
  const text =
    value instanceof GatewayError
      ? `${value.code}: ${value.message}`
      : value instanceof Error
        ? `${value.name}: ${value.message}`
        : String(value);
  const cause = value instanceof Error && value.cause !== undefined && depth > 1 ? ` (cause: ${describe(value.cause, depth - 1)})` : "";
  return text + cause;
}

function fill(template: string, detail: Readonly<Record<string, unknown>>): string {
  return template.replace(/(?<!\$)\{(\w+)\}/g, (whole, name: string) => (name in detail ? String(detail[name]) : whole));
}
