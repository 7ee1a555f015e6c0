import type { AccountState, ChannelHost, Clock, GatewayError, HttpHandler, Logger, RouteOptions } from "@trunkline/plugin-sdk";

/** What the host of an account offers beyond its connection; filled in by the pipeline. */
export type HostServices = Pick<
  ChannelHost,
  "receive" | "unreadable" | "history" | "message" | "saveMedia" | "openMedia" | "memory" | "proxy"
> & {
  /** Serves below a prefix until the returned function is called. */
  readonly http?: { route(prefix: string, handler: HttpHandler, options?: RouteOptions): () => void };
};

/** Newest messages of an account. */
export interface LastTimes {
  readonly lastInboundAt: number | null;
  readonly lastOutboundAt: number | null;
}

export interface ConnectionsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  readonly services: (channel: string, account: string) => HostServices;
  /** An account came up (again): its waiting parts may go. */
  readonly onConnected: (channel: string, account: string) => void;
  /** An account is in another state, or has another trouble. */
  readonly onState: (channel: string, account: string, state: AccountState, error: GatewayError | undefined) => void;
  /** An account stopped for good until a person mends something, or has not been well for some minutes. */
  readonly onNeedsOperator: (channel: string, account: string, error: GatewayError) => void;
  /** When the account last took in and sent a message before this start, ms UTC; null where nobody knows. */
  readonly lastTimes: (channel: string, account: string) => Promise<LastTimes>;
  /** Whether an account that is to go still has an answer on its way: a running turn or a part that waits. */
  readonly isBusy: (channel: string, account: string) => Promise<boolean>;
}
