import type { Clock } from "@trunkline/plugin-sdk";
import { nextBlockEnd } from "../shaping/block-cut.ts";

/** How long an answer rests before what is there of it goes out at the next best place, ms. */
const IDLE_MS = 1000;
/** Shortest time between two looks at a growing answer, ms: nothing is parsed per streamed piece. */
const LOOK_EVERY_MS = 100;

/** Turns a growing answer into messages. */
export interface BlockStream {
  /** What of the message that is being said nobody has. Cheap to call per delta. */
  grow(rest: string): void;
  /** The message is over, or the turn; what is left of it goes another way. */
  rest(): void;
}

export const NO_BLOCKS: BlockStream = { grow: () => {}, rest: () => {} };

/** Creates the stream. `emit` takes a block, the beginning of what grew. */
export function createBlockStream(clock: Clock, silentToken: string, emit: (block: string) => void): BlockStream {
  let latest = "";
  let cancel: (() => void) | undefined;
  let grewAt = 0;
  const look = (idle: boolean): void => {
    for (let end = nextBlockEnd(latest, { idle, silentToken }); end !== undefined; end = nextBlockEnd(latest, { idle, silentToken })) {
      emit(latest.slice(0, end).trimEnd());
      latest = latest.slice(end);
    }
  };
  const schedule = (): void => {
    cancel = clock.timer(LOOK_EVERY_MS, () => {
      cancel = undefined;
      const idle = clock.monotonic() - grewAt >= IDLE_MS;
      look(idle);
      if (!idle) schedule();
    });
  };
  return {
    grow(rest) {
      latest = rest;
      grewAt = clock.monotonic();
      if (cancel === undefined) schedule();
    },
    rest() {
      cancel?.();
      cancel = undefined;
      latest = "";
    },
  };
}
