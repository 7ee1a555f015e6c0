import type { Clock, ErrorCode, GatewayError } from "@trunkline/plugin-sdk";
import { LruMap } from "../sessions/lru.ts";

/** One key of a provider. */
export interface Credential {
  /** Empty for a provider that wants none. */
  readonly key: string;
  /** For logs: `key 2 of 3`. */
  readonly label: string;
}

/** Why nothing can be asked now, and for how long. */
export interface Wait {
  readonly ms: number;
  /** What the key that is free first was refused with. */
  readonly code: ErrorCode;
}

/**
 * The keys of one provider. A key that was refused, limited or out of credit rests, longer each time in a row; so does one whose calls
 * keep failing. Rests count for a key and a model together: limits and permissions differ from model to model.
 */
export interface Credentials {
  /** The first key that may be used and is not among `tried`. */
  take(model: string, tried: ReadonlySet<Credential>): Credential | undefined;
  /** A call failed. Gives the ms that the key rests for this model; 0 when it goes on. */
  failed(credential: Credential, model: string, error: GatewayError): number;
  answered(credential: Credential, model: string): void;
  /** What there is to wait for; undefined when a key may be used. */
  waiting(model: string): Wait | undefined;
}

interface Rest {
  readonly failures: number;
  /** On the monotonic clock. */
  readonly until: number;
  readonly code: ErrorCode;
}

interface RestRule {
  /** Failures in a row before the first rest. */
  readonly from: number;
  readonly firstMs: number;
  readonly mostMs: number;
}

/** A server that fails gets a few chances first: it may be starting, and it may be the only one there is. */
const FAILING: RestRule = { from: 4, firstMs: 1000, mostMs: 30_000 };

const RULES: ReadonlyMap<ErrorCode, RestRule> = new Map([
  ["MODEL_RATE_LIMITED", { from: 1, firstMs: 1000, mostMs: 10 * 60_000 }],
  ["MODEL_AUTH", { from: 1, firstMs: 60_000, mostMs: 60 * 60_000 }],
  ["MODEL_BILLING", { from: 1, firstMs: 5 * 60_000, mostMs: 5 * 60 * 60_000 }],
  ["MODEL_OVERLOADED", FAILING],
  ["MODEL_NETWORK", FAILING],
  ["MODEL_TIMEOUT", FAILING],
]);

/** Pairs of key and model that are remembered. */
const REMEMBERED = 500;

/** A timer may fire this much before its time, in ms; a key whose rest is as good as over may be used. */
const TIMER_SLACK_MS = 5;

/** Creates the credentials of a provider. Without keys there is one, empty. */
export function createCredentials(keys: readonly string[], clock: Clock): Credentials {
  const given = [...new Set(keys.map((key) => key.trim()).filter((key) => key !== ""))];
  const all: readonly Credential[] =
    given.length === 0
      ? [{ key: "", label: "no key" }]
      : given.map((key, index) => ({ key, label: `key ${index + 1} of ${given.length}` }));
  const rests = new LruMap<Rest>(REMEMBERED);
  const nameOf = (credential: Credential, model: string): string => `${all.indexOf(credential)} ${model}`;
  const leftOf = (credential: Credential, model: string): number => {
    const left = (rests.get(nameOf(credential, model))?.until ?? 0) - clock.monotonic();
    return left <= TIMER_SLACK_MS ? 0 : left;
  };
  return {
    take: (model, tried) => all.find((credential) => !tried.has(credential) && leftOf(credential, model) === 0),
    failed(credential, model, error) {
      const name = nameOf(credential, model);
      const rule = RULES.get(error.code);
      if (rule === undefined) return 0;
      const before = rests.get(name);
      // Calls that were under way together fail together, and are one failure.
      const failures = (before?.failures ?? 0) + (leftOf(credential, model) > 0 ? 0 : 1);
      const ms = failures < rule.from ? 0 : (error.retryAfterMs ?? Math.min(rule.mostMs, rule.firstMs * 2 ** (failures - rule.from)));
      const until = Math.max(before?.until ?? 0, clock.monotonic() + ms);
      rests.set(name, { failures, until, code: error.code });
      return ms;
    },
    answered: (credential, model) => rests.delete(nameOf(credential, model)),
    waiting(model) {
      const waits = all.map((credential) => ({ ms: leftOf(credential, model), code: rests.get(nameOf(credential, model))?.code }));
      const first = waits.reduce((soonest, wait) => (wait.ms < soonest.ms ? wait : soonest));
      return first.ms === 0 || first.code === undefined ? undefined : { ms: Math.ceil(first.ms), code: first.code };
    },
  };
}
