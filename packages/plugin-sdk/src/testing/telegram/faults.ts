import type { Random } from "./random.ts";
import type { WireMessage } from "./wire.ts";

/**
 * What goes wrong:
 * `429` refused with retry_after · `refuse` refused with `code` (400) and `description` · `5xx-before` answered 502 (or `code`), nothing happened · `5xx-after` it happened, then 502 ·
 * `lost-response` it happened, the connection breaks · `lost-request` the connection breaks, nothing happened ·
 * `slow` answered after `delayMs` · `hold-before` waits for `release` before it happens · `hold-after` it happened, the answer waits ·
 * `duplicate-updates` getUpdates returns one update too many, once confirmed or twice in one batch.
 */
export type FaultKind =
  | "429"
  | "refuse"
  | "5xx-before"
  | "5xx-after"
  | "lost-response"
  | "lost-request"
  | "slow"
  | "hold-before"
  | "hold-after"
  | "duplicate-updates";

/** A fault to inject. Without `times` and `probability` it hits every matching call. */
export interface FaultSpec {
  readonly kind: FaultKind;
  /** Method name, case does not matter; "file" is a file download. Without it: every method but getUpdates. */
  readonly method?: string;
  readonly chatId?: number;
  /** Share of the matching calls, 0 to 1, by the seeded generator. */
  readonly probability?: number;
  /** How many calls it hits before it is spent. */
  readonly times?: number;
  /** Seconds, for `429`. Default 1. */
  readonly retryAfter?: number;
  /** What the refusal says, for `refuse`. Default "Bad Request: CHAT_SEND_PLAIN_FORBIDDEN". */
  readonly description?: string;
  /** HTTP status, for `5xx-*` and `refuse`. Default 502 and 400. */
  readonly code?: number;
  /** Milliseconds, for `slow`. Default 500. */
  readonly delayMs?: number;
  /** Called when a call is held, for `hold-*`. */
  readonly onHold?: (held: HeldCall) => void;
}

/** A call that waits. */
export interface HeldCall {
  readonly method: string;
  readonly chatId: number | undefined;
  /** What the call sent; undefined before the effect, and for calls that send nothing. */
  readonly message: WireMessage | undefined;
  /** Lets the call go on. May be called more than once. */
  readonly release: () => void;
}

/** A fault in force. */
export interface InjectedFault {
  /** How many calls it has hit. */
  readonly count: number;
  /** Takes it back; calls that it holds go on. */
  remove(): void;
  /** Lets every held call go on. */
  release(): void;
  /** Resolves with the next call that is held, or at once with one that is held now. */
  held(): Promise<HeldCall>;
}

/** The call that a fault may hit. */
export interface FaultTarget {
  readonly method: string;
  readonly chatId: number | undefined;
}

/** A fault that was drawn for one call. `apply` counts it; `discard` gives it back, when the call had no effect to spoil. */
export interface DrawnFault {
  readonly spec: FaultSpec;
  apply(): void;
  discard(): void;
  /** Waits until the held call is released or `signal` fires. */
  hold(message: WireMessage | undefined, signal: AbortSignal): Promise<void>;
}

/** The faults of an emulator. */
export class Faults {
  readonly #random: Random;
  readonly #active = new Set<ActiveFault>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Adds a fault. Of several that match a call, the one added first hits. */
  add(spec: FaultSpec): InjectedFault {
    const fault = new ActiveFault(spec);
    this.#active.add(fault);
    return {
      get count() {
        return fault.count;
      },
      remove: () => {
        this.#active.delete(fault);
        fault.release();
      },
      release: () => fault.release(),
      held: () => fault.held(),
    };
  }

  /** Takes every fault back. */
  clear(): void {
    for (const fault of this.#active) fault.release();
    this.#active.clear();
  }

  /** Draws the fault for a call, if one hits. */
  draw(target: FaultTarget): DrawnFault | undefined {
    for (const fault of this.#active) {
      if (!matches(fault.spec, target) || fault.reserved >= (fault.spec.times ?? Infinity)) continue;
      if (fault.spec.probability !== undefined && this.#random() >= fault.spec.probability) continue;
      return fault.reserve(target);
    }
    return undefined;
  }
}

function matches(spec: FaultSpec, { method, chatId }: FaultTarget): boolean {
  if (spec.chatId !== undefined && spec.chatId !== chatId) return false;
  if (spec.kind === "duplicate-updates") return method.toLowerCase() === "getupdates";
  if (spec.method === undefined) return method.toLowerCase() !== "getupdates";
  return spec.method.toLowerCase() === method.toLowerCase();
}

class ActiveFault {
  readonly spec: FaultSpec;
  count = 0;
  reserved = 0;
  readonly #holding = new Set<HeldCall>();
  readonly #wanted: ((held: HeldCall) => void)[] = [];

  constructor(spec: FaultSpec) {
    this.spec = spec;
  }

  reserve(target: FaultTarget): DrawnFault {
    this.reserved += 1;
    return {
      spec: this.spec,
      apply: () => {
        this.count += 1;
      },
      discard: () => {
        this.reserved -= 1;
      },
      hold: (message, signal) => this.#hold(target, message, signal),
    };
  }

  release(): void {
    for (const held of this.#holding) held.release();
  }

  held(): Promise<HeldCall> {
    const [now] = this.#holding;
    return now === undefined ? new Promise((resolve) => this.#wanted.push(resolve)) : Promise.resolve(now);
  }

  #hold(target: FaultTarget, message: WireMessage | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const release = (): void => {
        this.#holding.delete(held);
        signal.removeEventListener("abort", release);
        resolve();
      };
      const held: HeldCall = { ...target, message, release };
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", release, { once: true });
      this.#holding.add(held);
      this.spec.onHold?.(held);
      for (const wanted of this.#wanted.splice(0)) wanted(held);
    });
  }
}
