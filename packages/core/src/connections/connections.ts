import { setMaxListeners } from "node:events";
import {
  type AccountConfig,
  type AccountState,
  type ChannelHost,
  type ChannelPlugin,
  type Clock,
  describeError,
  type GatewayError,
  type HttpHandler,
  type Logger,
  toGatewayError,
  type Transport,
} from "@trunkline/plugin-sdk";
import { backoffMs } from "../delivery/backoff.ts";
import type { Line } from "../delivery/line.ts";
import { untilAborted } from "../lanes/abort.ts";

/** How an account is doing; what `trunkline status` prints. Times are ms UTC, null before the first. */
export interface AccountStatus {
  readonly channel: string;
  readonly account: string;
  readonly state: AccountState;
  readonly lastInboundAt: number | null;
  readonly lastOutboundAt: number | null;
  readonly lastError: { readonly code: string; readonly message: string; readonly hint: string; readonly at: number } | null;
}

/** What the host of an account offers beyond its connection; filled in by the pipeline. */
export type HostServices = Pick<ChannelHost, "receive" | "unreadable" | "history"> & {
  /** Serves below a prefix until the returned function is called. */
  readonly http?: { route(prefix: string, handler: HttpHandler): () => void };
};

export interface ConnectionsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  readonly services: (channel: string, account: string) => HostServices;
  /** An account came up (again): its waiting parts may go. */
  readonly onConnected: (channel: string, account: string) => void;
}

/** The accounts of the gateway, each supervised by itself: a fault of one never touches another. */
export interface Connections {
  /** Starts an account in the background; failures are retried with back-off until it is stopped. */
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  open(channel: ChannelPlugin<any>, account: string, config: AccountConfig): void;
  transportOf(channel: string, account: string): Transport | undefined;
  lineOf(channel: string, account: string): Line | undefined;
  noteInbound(channel: string, account: string, at: number): void;
  noteOutbound(channel: string, account: string, at: number): void;
  statuses(): readonly AccountStatus[];
  /** Ends intake everywhere; transports stay up for what is still to be sent. */
  closeIntake(): Promise<void>;
  /** Closes the transports. */
  close(): Promise<void>;
}

interface Account {
  // oxlint-disable-next-line typescript/no-explicit-any -- see `open`
  readonly channel: ChannelPlugin<any>;
  readonly config: AccountConfig;
  readonly stop: AbortController;
  status: AccountStatus;
  transport: Transport | undefined;
  /** May send: it has been started and is not stopped. */
  up: boolean;
  /** Takes back the HTTP routes of the transport. */
  unroute: (() => void)[];
  running: Promise<void>;
}

/** Creates the supervisor of all accounts. */
export function createConnections(deps: ConnectionsDeps): Connections {
  const accounts = new Map<string, Account>();
  const find = (channel: string, account: string): Account | undefined => accounts.get(`${channel}:${account}`);

  const report = (account: Account, state: AccountState, error?: GatewayError): void => {
    const { channel, account: name } = account.status;
    const lastError = error
      ? { code: error.code, message: error.message, hint: error.hint, at: deps.clock.now() }
      : account.status.lastError;
    if (account.status.state !== state || error) {
      const log = error ? deps.logger.warn : deps.logger.info;
      log.call(
        deps.logger,
        { channel, account: name, state, code: error?.code, error: error?.message, hint: error?.hint },
        `account is ${state}`,
      );
    }
    account.status = { ...account.status, state, lastError };
    if (state === "needs-operator") account.up = false;
    if (state === "connected" && !account.up) {
      account.up = true;
      deps.onConnected(channel, name);
    }
  };

  const run = async (account: Account): Promise<void> => {
    const { channel, account: name } = account.status;
    for (let attempt = 1; !account.stop.signal.aborted; attempt += 1) {
      report(account, "starting");
      try {
        account.transport = account.channel.connect(account.config.own, hostOf(account, deps, report));
        // Raced, so that a transport that hangs in its start does not hold up the end.
        await untilAborted(account.transport.start(), account.stop.signal);
        // A transport that is up reports its own troubles and recoveries.
        if (!account.stop.signal.aborted) report(account, "connected");
        return;
      } catch (error) {
        if (account.stop.signal.aborted) return;
        const failure = toGatewayError(error, "CHANNEL_FAILED", { channel, account: name });
        await account.transport?.stop().catch(() => {});
        account.transport = undefined;
        unroute(account);
        if (!failure.retryable && failure.code !== "CHANNEL_FAILED") {
          report(account, "needs-operator", failure);
          return;
        }
        report(account, "backing-off", failure);
        await deps.clock.sleep(failure.retryAfterMs ?? backoffMs(attempt, deps.random()), account.stop.signal).catch(() => {});
      }
    }
  };

  return {
    open(channel, name, config) {
      const status = {
        channel: channel.id,
        account: name,
        state: "stopped" as const,
        lastInboundAt: null,
        lastOutboundAt: null,
        lastError: null,
      };
      const account: Account = {
        channel,
        config,
        stop: new AbortController(),
        status,
        transport: undefined,
        up: false,
        unroute: [],
        running: Promise.resolve(),
      };
      setMaxListeners(0, account.stop.signal); // a transport may listen once per call in flight
      accounts.set(`${channel.id}:${name}`, account);
      if (config.enabled) account.running = run(account);
    },
    transportOf: (channel, account) => find(channel, account)?.transport,
    lineOf(channel, name) {
      const account = find(channel, name);
      if (!account?.up || !account.transport) return undefined;
      return { transport: account.transport, capabilities: account.channel.capabilities, onAmbiguous: account.config.onAmbiguous };
    },
    noteInbound(channel, name, at) {
      const account = find(channel, name);
      if (account) account.status = { ...account.status, lastInboundAt: at };
    },
    noteOutbound(channel, name, at) {
      const account = find(channel, name);
      if (account) account.status = { ...account.status, lastOutboundAt: at };
    },
    statuses: () => [...accounts.values()].map((account) => account.status),
    async closeIntake() {
      for (const account of accounts.values()) account.stop.abort();
      await Promise.all([...accounts.values()].map((account) => account.running));
    },
    async close() {
      await Promise.all(
        [...accounts.values()].map(async (account) => {
          account.stop.abort();
          await account.running;
          await account.transport
            ?.stop()
            .catch((error: unknown) => deps.logger.warn({ error: describeError(error) }, "an account did not stop cleanly"));
          account.up = false;
          unroute(account);
          report(account, "stopped");
        }),
      );
    },
  };
}

function hostOf(
  account: Account,
  deps: ConnectionsDeps,
  report: (account: Account, state: AccountState, error?: GatewayError) => void,
): ChannelHost {
  const { channel, account: name } = account.status;
  const services = deps.services(channel, name);
  return {
    channel,
    account: name,
    clock: deps.clock,
    logger: deps.logger.child({ channel, account: name }),
    signal: account.stop.signal,
    receive: services.receive,
    unreadable: services.unreadable,
    history: services.history,
    report: (state, error) => {
      if (!account.stop.signal.aborted) report(account, state, error);
    },
    ...(services.http ? { http: { route: (prefix, handler) => void account.unroute.push(services.http!.route(prefix, handler)) } } : {}),
  };
}

function unroute(account: Account): void {
  for (const undo of account.unroute.splice(0)) undo();
}
