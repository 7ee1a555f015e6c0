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
  type RouteOptions,
  toGatewayError,
  type Transport,
} from "@trunkline/plugin-sdk";
import type { AccountChange } from "../config/diff.ts";
import { backoffMs } from "../delivery/backoff.ts";
import type { Line } from "../delivery/line.ts";
import { untilAborted } from "../lanes/abort.ts";
import { createChangeQueue } from "./change-queue.ts";

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
export type HostServices = Pick<ChannelHost, "receive" | "unreadable" | "history" | "message" | "saveMedia" | "openMedia" | "memory"> & {
  /** Serves below a prefix until the returned function is called. */
  readonly http?: { route(prefix: string, handler: HttpHandler, options?: RouteOptions): () => void };
};

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
  /** An account stopped for good until a person mends something. */
  readonly onNeedsOperator: (channel: string, account: string, error: GatewayError) => void;
  /** Whether an account that is to go still has an answer on its way: a running turn or a part that waits. */
  readonly isBusy: (channel: string, account: string) => Promise<boolean>;
}

/** The accounts of the gateway, each supervised by itself: a fault of one never touches another. */
export interface Connections {
  /** Starts an account in the background; failures are retried with back-off until it is stopped. */
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  open(channel: ChannelPlugin<any>, account: string, config: AccountConfig): void;
  /**
   * Brings one account to a new configuration, in the background, after earlier changes of the same account. A restart ends intake and
   * lets sends in flight finish; what waits goes through the new connection. A removed account takes nothing any more, and stays up
   * until its answers are out.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- see `open`
  change(channel: ChannelPlugin<any>, change: AccountChange): void;
  /** The account's transport, up or not; undefined when it is not the one that `identity` names, where that is given. */
  transportOf(channel: string, account: string, identity?: string): Transport | undefined;
  lineOf(channel: string, account: string): Line | undefined;
  noteInbound(channel: string, account: string, at: number): void;
  noteOutbound(channel: string, account: string, at: number): void;
  /** A send was refused for the account's token: status and alerts say so until the transport reports that it is well. */
  noteRejected(channel: string, account: string, error: GatewayError): void;
  statuses(): readonly AccountStatus[];
  /** Ends intake everywhere; transports stay up for what is still to be sent. */
  closeIntake(): Promise<void>;
  /** Closes the transports. */
  close(): Promise<void>;
}

interface Account {
  // oxlint-disable-next-line typescript/no-explicit-any -- see `open`
  readonly channel: ChannelPlugin<any>;
  config: AccountConfig;
  readonly stop: AbortController;
  status: AccountStatus;
  transport: Transport | undefined;
  /** May send: it has been started and is not stopped. */
  up: boolean;
  /** Takes back the HTTP routes of the transport. */
  unroute: (() => void)[];
  running: Promise<void>;
}

/** How long a removed account stays up for its last answers, ms: as long as the longest turn. */
const DRAIN_MS = 10 * 60 * 1000;
/** How often it is asked whether they are out, ms. */
const DRAIN_LOOK_MS = 250;

/** Creates the supervisor of all accounts. */
export function createConnections(deps: ConnectionsDeps): Connections {
  const accounts = new Map<string, Account>();
  const changes = createChangeQueue();
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
        { channel, account: name, state, code: error?.code, error: error && describeError(error), hint: error?.hint },
        `account is ${state}`,
      );
    }
    if (account.status.state !== state || error) deps.onState(channel, name, state, error);
    account.status = { ...account.status, state, lastError };
    if (state === "needs-operator") account.up = false;
    if (state === "needs-operator" && error) deps.onNeedsOperator(channel, name, error);
    if (state === "connected" && !account.up) {
      account.up = true;
      deps.onConnected(channel, name);
    }
  };

  const started = (account: Account): void => {
    const { state, channel, account: name } = account.status;
    if (state === "starting") return report(account, "connected");
    if (state === "needs-operator" || account.up) return;
    // Deaf or backing off for now: it can still send.
    account.up = true;
    deps.onConnected(channel, name);
  };

  const run = async (account: Account): Promise<void> => {
    const { channel, account: name } = account.status;
    for (let attempt = 1; !account.stop.signal.aborted; attempt += 1) {
      report(account, "starting");
      try {
        account.transport = account.channel.connect(account.config.own, hostOf(account, deps, report));
        // Raced, so that a transport that hangs in its start does not hold up the end.
        await untilAborted(account.transport.start(), account.stop.signal);
        // A transport that is up reports its own troubles and recoveries; what it said while it started stands.
        if (!account.stop.signal.aborted) started(account);
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

  /** Ends intake, lets sends in flight finish, and takes the account down. Its parts wait in the store. */
  const shut = async (account: Account): Promise<void> => {
    account.stop.abort();
    account.up = false;
    await account.running;
    await account.transport
      ?.stop()
      .catch((error: unknown) => deps.logger.warn({ error: describeError(error) }, "an account did not stop cleanly"));
    unroute(account);
    report(account, "stopped");
  };

  /** Waits until the answers of an account are out, the account is wanted back, or patience ends. */
  const drain = async ({ status }: Account, enough: AbortSignal): Promise<void> => {
    const until = deps.clock.monotonic() + DRAIN_MS;
    while (!enough.aborted && deps.clock.monotonic() < until) {
      // A store that cannot be asked keeps the account up: too long is better than too short.
      if (!(await deps.isBusy(status.channel, status.account).catch(() => true))) return;
      await deps.clock.sleep(DRAIN_LOOK_MS, enough).catch(() => {});
    }
  };

  const noteIdentity = (before: Account, config: AccountConfig): void => {
    const now = before.channel.identity?.(config.own);
    if (now === identityOf(before)) return;
    const { channel, account } = before.status;
    deps.logger.warn(
      { channel, account, before: identityOf(before), now },
      "the account is another bot now; what was written to the one before is answered through an account that has it, or put aside",
    );
  };

  const connections: Connections = {
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
    change(channel, change) {
      const key = `${channel.id}:${change.account}`;
      if (change.change === "removed") accounts.get(key)?.stop.abort();
      changes.add(key, async (enough) => {
        const present = accounts.get(key);
        if (change.change === "adjust") {
          if (present) present.config = change.config;
          return;
        }
        if (present && change.change === "removed") await drain(present, enough);
        if (present) await shut(present);
        if (present && change.change === "restart") noteIdentity(present, change.config);
        if (change.change === "removed") accounts.delete(key);
        else if (!changes.closed()) connections.open(channel, change.account, change.config);
      });
    },
    transportOf(channel, name, identity) {
      const account = find(channel, name);
      return account && (identity === undefined || identityOf(account) === identity) ? account.transport : undefined;
    },
    lineOf(channel, name) {
      const account = find(channel, name);
      if (!account?.up || !account.transport) return undefined;
      return {
        account: name,
        identity: identityOf(account),
        transport: account.transport,
        capabilities: account.channel.capabilities,
        onAmbiguous: account.config.onAmbiguous,
      };
    },
    noteInbound(channel, name, at) {
      const account = find(channel, name);
      if (account) account.status = { ...account.status, lastInboundAt: at };
    },
    noteRejected(channel, name, error) {
      const account = find(channel, name);
      if (account && account.status.state !== "needs-operator") {
        report(account, "needs-operator", error);
        account.up = true; // a passing fault heals by itself: the part is tried again in a while
      }
    },
    noteOutbound(channel, name, at) {
      const account = find(channel, name);
      if (account) account.status = { ...account.status, lastOutboundAt: at };
    },
    statuses: () => [...accounts.values()].map((account) => account.status),
    async closeIntake() {
      await changes.close();
      for (const account of accounts.values()) account.stop.abort();
      await Promise.all([...accounts.values()].map((account) => account.running));
    },
    async close() {
      await Promise.all([...accounts.values()].map(shut));
    },
  };
  return connections;
}

function hostOf(
  account: Account,
  deps: ConnectionsDeps,
  report: (account: Account, state: AccountState, error?: GatewayError) => void,
): ChannelHost {
  const { channel, account: name } = account.status;
  const services = deps.services(channel, name);
  // Of this very connection: by the time a message comes, the configuration may already name another.
  const identity = identityOf(account);
  return {
    channel,
    account: name,
    clock: deps.clock,
    logger: deps.logger.child({ channel, account: name }),
    signal: account.stop.signal,
    receive: (messages) => services.receive(identity === undefined ? messages : messages.map((one) => ({ ...one, receivedAs: identity }))),
    unreadable: services.unreadable,
    history: services.history,
    message: services.message,
    saveMedia: services.saveMedia,
    openMedia: services.openMedia,
    memory: services.memory,
    report: (state, error) => {
      if (!account.stop.signal.aborted) report(account, state, error);
    },
    ...(services.http
      ? {
          http: {
            route: (prefix, handler, options) => void account.unroute.push(services.http!.route(prefix, handler, options)),
          },
        }
      : {}),
  };
}

function identityOf({ channel, config }: Account): string | undefined {
  return channel.identity?.(config.own);
}

function unroute(account: Account): void {
  for (const undo of account.unroute.splice(0)) undo();
}
