import type { AccountConfig, ChannelPlugin, GatewayError, Transport } from "@trunkline/plugin-sdk";
import type { AccountChange } from "../config/diff.ts";
import type { Line } from "../delivery/line.ts";
import type { AccountStatus } from "./account-state.ts";
import { createChangeQueue } from "./change-queue.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { type Supervisor, superviseAccount } from "./supervisor.ts";

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
  /** The account's transport, up or not; with an identity, of whichever account of the channel is that now. */
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

/** How long a removed account stays up for its last answers, ms: as long as the longest turn. */
const DRAIN_MS = 10 * 60 * 1000;
/** How often it is asked whether they are out, ms. */
const DRAIN_LOOK_MS = 250;

/** Creates the accounts' place; each gets a supervisor of its own. */
export function createConnections(deps: ConnectionsDeps): Connections {
  const accounts = new Map<string, Supervisor>();
  const changes = createChangeQueue();
  const find = (channel: string, account: string): Supervisor | undefined => accounts.get(`${channel}:${account}`);

  /** Waits until the answers of an account are out, the account is wanted back, or patience ends. */
  const drain = async ({ status }: Supervisor, enough: AbortSignal): Promise<void> => {
    const until = deps.clock.monotonic() + DRAIN_MS;
    while (!enough.aborted && deps.clock.monotonic() < until) {
      // A store that cannot be asked keeps the account up: too long is better than too short.
      if (!(await deps.isBusy(status.channel, status.account).catch(() => true))) return;
      await deps.clock.sleep(DRAIN_LOOK_MS, enough).catch(() => {});
    }
  };

  // oxlint-disable-next-line typescript/no-explicit-any -- see `open`
  const noteIdentity = (kind: ChannelPlugin<any>, before: Supervisor, config: AccountConfig): void => {
    const now = kind.identity?.(config.own);
    if (now === before.identity) return;
    const { channel, account } = before.status;
    deps.logger.warn(
      { channel, account, before: before.identity, now },
      "the account is another bot now; what was written to the one before is answered through an account that has it, or put aside",
    );
  };

  const connections: Connections = {
    open(channel, name, config) {
      accounts.set(`${channel.id}:${name}`, superviseAccount(channel, name, config, deps));
    },
    change(channel, change) {
      const key = `${channel.id}:${change.account}`;
      if (change.change === "removed") void accounts.get(key)?.endIntake();
      changes.add(key, async (enough) => {
        const present = accounts.get(key);
        if (change.change === "adjust") return present?.adjust(change.config);
        if (present && change.change === "removed") await drain(present, enough);
        await present?.shut();
        if (present && change.change === "restart") noteIdentity(channel, present, change.config);
        if (change.change === "removed") accounts.delete(key);
        else if (!changes.closed()) connections.open(channel, change.account, change.config);
      });
    },
    transportOf(channel, name, identity) {
      const account = find(channel, name);
      if (identity === undefined || account?.identity === identity) return account?.transport;
      return [...accounts.values()].find((other) => other.status.channel === channel && other.identity === identity)?.transport;
    },
    lineOf: (channel, account) => find(channel, account)?.line,
    noteInbound: (channel, account, at) => find(channel, account)?.noteInbound(at),
    noteOutbound: (channel, account, at) => find(channel, account)?.noteOutbound(at),
    noteRejected: (channel, account, error) => find(channel, account)?.noteRejected(error),
    statuses: () => [...accounts.values()].map(({ status }) => status),
    async closeIntake() {
      await changes.close();
      await Promise.all([...accounts.values()].map((account) => account.endIntake()));
    },
    async close() {
      await Promise.all([...accounts.values()].map((account) => account.shut()));
    },
  };
  return connections;
}
