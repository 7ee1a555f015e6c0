import type { HttpHeaders } from "./http.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * How long the server asks to wait, in ms from now, at most a day; undefined when it does not say.
 * `retry-after-ms` (OpenAI, Azure) in ms, or `retry-after` in seconds or as a date (RFC 9110, 10.2.3).
 */
export function retryAfterMs(headers: HttpHeaders, now: number): number | undefined {
  const ms = toNumber(headers["retry-after-ms"]);
  if (ms !== undefined) return clamp(ms);
  const seconds = toNumber(headers["retry-after"]);
  if (seconds !== undefined) return clamp(seconds * 1000);
  const date = Date.parse(first(headers["retry-after"]) ?? "");
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

function toNumber(value: string | readonly string[] | undefined): number | undefined {
  const text = first(value)?.trim();
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.[0];
}

function clamp(ms: number): number {
  return Math.ceil(Math.min(DAY_MS, Math.max(0, ms)));
}
