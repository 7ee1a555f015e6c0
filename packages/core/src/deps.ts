import type { ChannelPlugin, Clock, ConfigSource, Hooks, Ids, Logger, Store } from "@trunkline/plugin-sdk";
import type { Connections } from "./connections/connections.ts";
import type { Rates } from "./delivery/rates.ts";
import type { DeliveryWorker } from "./delivery/worker.ts";
import type { BotLoopGuard } from "./inbound/bot-loop.ts";
import type { Heard } from "./inbound/heard.ts";
import type { Queue } from "./lanes/look.ts";
import type { Lanes } from "./lanes/lanes.ts";
import type { OutboundMediaResolver } from "./media/outbound-media.ts";
import type { ApprovedSenders } from "./pairing/approved.ts";
import type { StrangerRate } from "./pairing/stranger-rate.ts";
import type { LruMap } from "./sessions/lru.ts";
import type { ReplyDeps } from "./reply/get-reply.ts";

/** What the spine works with; made once by `createPipeline`. */
export interface Deps {
  readonly config: ConfigSource;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly hooks: Hooks;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, ChannelPlugin<any>>;
  readonly connections: Connections;
  readonly lanes: Lanes;
  readonly queue: Queue;
  readonly heard: Heard;
  readonly botLoops: BotLoopGuard;
  /** Waiting messages that were changed or withdrawn since they were stored. What reads one looks again. */
  readonly amended: LruMap<true>;
  readonly worker: DeliveryWorker;
  readonly rates: Rates;
  readonly reply: ReplyDeps;
  readonly outboundMedia: OutboundMediaResolver;
  readonly approved: ApprovedSenders;
  readonly strangers: StrangerRate;
  /** Random bytes that nobody can guess. */
  readonly secureBytes: (count: number) => Uint8Array;
  /** Starts of turns that ran and could not be stored, by turn: they are tried again without counting as a start. */
  readonly refusedTurns: LruMap<number>;
  /** Names this process in turn rows. */
  readonly owner: string;
}
