import { type Clock, describeError, GatewayError, type Logger, type Store } from "@trunkline/plugin-sdk";
import { openInboundCount } from "../store/inbox.ts";
import { openPartCount } from "../store/outbox.ts";
import { probeStore } from "../store/probe.ts";
import type { StoreHealth } from "./store-health.ts";

/** How often it is looked at, ms. */
const LOOK_MS = 5000;
/** Open messages and parts together, from which nothing more is taken in. */
export const MOST_OPEN_ROWS = 100_000;
/** Disk that is kept free unless the configuration says otherwise, MB. */
export const DISK_FLOOR_MB = 1024;
/** It goes on when there is this much more room than the limit, so that channels do not go up and down at the border. */
const SLACK = 0.05;

const MB = 1024 * 1024;

export interface RoomDeps {
  readonly health: StoreHealth;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Free bytes of the disk with the data folder; absent where no disk matters. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
  /** MB that stay free, as configured now. */
  readonly diskFloorMb: () => number;
  /** Told when the reasons change from none, or to another one. */
  readonly onPause: (why: GatewayError) => void;
}

/** Whether the store can take more. */
export interface Room {
  /** Looks for the first time, and then again and again until `close`. */
  open(): Promise<void>;
  /** Why nothing is taken in, most urgent first; empty when there is room. */
  reasons(): readonly GatewayError[];
  /** Throws the first reason. To be asked before anything is taken in, so that nothing is acknowledged that has no place. */
  require(): void;
  close(): void;
}

/** Creates the look at disk, backlog and store. It ends by itself when there is room again. */
export function createRoom(deps: RoomDeps): Room {
  const { health, clock, logger } = deps;
  let disk: GatewayError | undefined;
  let backlog: GatewayError | undefined;
  let told: string | undefined;
  let closed = false;
  let cancel = (): void => {};

  const reasons = (): readonly GatewayError[] => [health.failure(), disk, backlog].filter((reason) => reason !== undefined);

  const lookAtDisk = async (): Promise<void> => {
    if (!deps.freeBytes) return;
    const floor = deps.diskFloorMb();
    const free = (await deps.freeBytes()) / MB;
    disk = free < floor * (disk ? 1 + SLACK : 1) ? diskLow(free, floor) : undefined;
  };

  const lookAtBacklog = async (): Promise<void> => {
    const rows = await openRows(health.store);
    backlog = rows >= MOST_OPEN_ROWS * (backlog ? 1 - SLACK : 1) ? tooMuchOpen(rows) : undefined;
  };

  const look = async (): Promise<void> => {
    // Only a write shows whether a store that refused one takes the next.
    if (health.failure()) await probeStore(health.store, clock.now()).catch(() => {});
    for (const part of [lookAtDisk, lookAtBacklog]) {
      await part().catch((error: unknown) => logger.debug({ error: describeError(error) }, "the room of the store could not be looked at"));
    }
    announce();
  };

  const announce = (): void => {
    const [first] = reasons();
    if (first?.code === told) return;
    told = first?.code;
    if (first === undefined) return logger.info({}, "there is room again: channels go on");
    logger.error({ code: first.code, error: first.message, hint: first.hint }, "channels are paused: nothing more can be stored");
    deps.onPause(first);
  };

  const again = (): void => {
    if (closed) return;
    cancel = clock.timer(LOOK_MS, () => void look().then(again));
  };

  return {
    async open() {
      await look();
      again();
    },
    reasons,
    require() {
      const [first] = reasons();
      if (first) throw first;
    },
    close() {
      closed = true;
      cancel();
    },
  };
}

async function openRows(store: Store): Promise<number> {
  return store.read(async (tx) => (await openInboundCount(tx)) + (await openPartCount(tx)));
}

function diskLow(free: number, floor: number): GatewayError {
  return new GatewayError("STORE_DISK_LOW", { detail: { free: Math.floor(free), floor: Math.round(floor) }, retryable: true });
}

function tooMuchOpen(rows: number): GatewayError {
  return new GatewayError("STORE_BACKLOG", { detail: { rows, limit: MOST_OPEN_ROWS }, retryable: true });
}
