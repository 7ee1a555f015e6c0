import type { Clock } from "@trunkline/plugin-sdk";

/** Wrong tokens that one address may try in a minute. */
const LIMIT = 10;
const WINDOW_MS = 60_000;
/** Addresses that are remembered; the oldest is forgotten first. */
const ADDRESSES = 1000;

/** Counts wrong tokens by address. 32 random bytes cannot be guessed; this keeps somebody who tries from costing anything. */
export interface Attempts {
  /** Ms until the address may try again; 0 when it may now. */
  wait(address: string): number;
  failed(address: string): void;
  /** Forgets the address, after the right token. */
  passed(address: string): void;
}

/** Creates the count. A window starts with the first wrong token and lasts a minute. */
export function createAttempts(clock: Clock): Attempts {
  const windows = new Map<string, { readonly since: number; count: number }>();
  const current = (address: string): { readonly since: number; count: number } | undefined => {
    const window = windows.get(address);
    if (window === undefined || clock.monotonic() - window.since < WINDOW_MS) return window;
    windows.delete(address);
    return undefined;
  };
  return {
    wait(address) {
      const window = current(address);
      return window === undefined || window.count < LIMIT ? 0 : Math.ceil(window.since + WINDOW_MS - clock.monotonic());
    },
    failed(address) {
      const window = current(address);
      if (window !== undefined) {
        window.count += 1;
        return;
      }
      const [oldest] = windows.keys();
      if (oldest !== undefined && windows.size >= ADDRESSES) windows.delete(oldest);
      windows.set(address, { since: clock.monotonic(), count: 1 });
    },
    passed(address) {
      windows.delete(address);
    },
  };
}
