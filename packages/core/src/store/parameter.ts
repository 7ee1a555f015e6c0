import { GatewayError } from "@trunkline/plugin-sdk";

/** A value that both databases take. */
export type Parameter = string | number | Uint8Array | null;

/**
 * Brings a value to what both databases store alike.
 * - A NUL in a text becomes U+FFFD: PostgreSQL refuses it and one SQLite driver cuts the text there, so a hostile message could
 *   otherwise fail its accept forever. Both databases already turn a lone surrogate into the same character.
 * - A boolean becomes 0 or 1.
 * - Numbers are finite; a whole one is exact (up to 2^53 - 1). Anything else is a mistake of the caller.
 */
export function toParameter(value: unknown): Parameter {
  if (typeof value === "string") return value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new GatewayError("STORE_FAILED", {
    detail: { reason: "a value that cannot be stored", type: typeof value },
  });
}
