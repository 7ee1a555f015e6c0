import { setMaxListeners } from "node:events";
import {
  type AccountConfig,
  type AccountState,
  type ChannelHost,
  type ChannelPlugin,
  describeError,
  GatewayError,
  toGatewayError,
  type Transport,
} from "@trunkline/plugin-sdk";
import { backoffMs } from "../delivery/backoff.ts";
import type { Line } from "../delivery/line.ts";
import { untilAborted } from "../lanes/abort.ts";
import { type AccountStatus, createAccountStateLog } from "./account-state.ts";
import type { ConnectionsDeps, LastTimes } from "./deps.ts";
import { type SilenceWatch, watchSilence } from "./silence.ts";

/** A connection that held for this long was well: the next failure is a first one again. Ms. */
const STABLE_MS = 5 * 60 * 1000;
/** Connections in a row that fell silent, after which the owner is told: something cuts them. */
const WORRYING = 5;
/** How long a transport has to end, ms; then it is left behind. */
const STOP_MS = 20_000;
const NEVER: LastTimes = { lastInboundAt: null, lastOutboundAt: null };

/** Keeps one account connected, whatever its channel does. */
export interface Supervisor {
  readonly status: AccountStatus;
  readonly transport: Transport | undefined;
  /** Who the account is on the platform, where its configuration tells. */
  readonly identity: string | undefined;
  /** The way out; undefined while nothing may be sent. */
  readonly line: Line | undefined;
  /** New rules for the account, on the connection that it has. */
  adjust(config: AccountConfig): void;
  noteInbound(at: number): void;
  noteOutbound(at: number): void;
  noteRejected(error: GatewayError): void;
  /** Ends intake; what is to be sent can still be. Resolves when no start is under way. */
  endIntake(): Promise<void>;
  /** Ends intake, lets sends in flight finish, and takes the account down. Its parts wait in the store. */
  shut(): Promise<void>;
}

/** One connection of the account, from `connect` until it is taken down. */
interface Link {
  readonly transport: Transport;
  readonly intake: AbortController;
  readonly watch: SilenceWatch;
  /** Takes back its HTTP routes. */
  readonly unroute: (() => void)[];
}

/**
 * Starts an account in the background and keeps it: what fails is tried again after growing pauses, and a connection that gives no sign of
 * life for longer than its channel says is normal is `deaf` and made anew. What only a person can mend waits for them.
 */
// Any channel's config type: only the channel itself looks inside.
// oxlint-disable-next-line typescript/no-explicit-any
export function superviseAccount(channel: ChannelPlugin<any>, name: string, config: AccountConfig, deps: ConnectionsDeps): Supervisor {
  return new AccountSupervisor(channel, name, config, deps);
}

class AccountSupervisor implements Supervisor {
  // oxlint-disable-next-line typescript/no-explicit-any -- see `superviseAccount`
  readonly #channel: ChannelPlugin<any>;
  readonly #deps: ConnectionsDeps;
  readonly #log: ReturnType<typeof createAccountStateLog>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #config: AccountConfig;
  #link: Link | undefined;
  /** May send: it has been started and is not stopped. */
  #up = false;

  // oxlint-disable-next-line typescript/no-explicit-any -- see `superviseAccount`
  constructor(channel: ChannelPlugin<any>, name: string, config: AccountConfig, deps: ConnectionsDeps) {
    this.#channel = channel;
    this.#config = config;
    this.#deps = deps;
    this.#log = createAccountStateLog(channel.id, name, deps);
    setMaxListeners(0, this.#stop.signal);
    this.#running = config.enabled ? this.#run() : Promise.resolve();
    void this.#remember();
  }

  /** What was before this start; what has happened since is newer. Only for people who look: an account starts without it. */
  async #remember(): Promise<void> {
    const { channel, account } = this.status;
    const { lastInboundAt, lastOutboundAt } = await this.#deps.lastTimes(channel, account).catch(() => NEVER);
    const known = this.status;
    this.#log.note({
      lastInboundAt: known.lastInboundAt ?? lastInboundAt,
      lastOutboundAt: known.lastOutboundAt ?? lastOutboundAt,
    });
  }

  get status(): AccountStatus {
    return this.#log.status();
  }

  get transport(): Transport | undefined {
    return this.#link?.transport;
  }

  get identity(): string | undefined {
    return this.#channel.identity?.(this.#config.own);
  }

  get line(): Line | undefined {
    if (!this.#up || !this.#link) return undefined;
    return {
      account: this.status.account,
      identity: this.identity,
      transport: this.#link.transport,
      capabilities: this.#channel.capabilities,
      onAmbiguous: this.#config.onAmbiguous,
    };
  }

  adjust(config: AccountConfig): void {
    this.#config = config;
  }

  noteInbound(at: number): void {
    this.#log.note({ lastInboundAt: at, lastSignAt: at });
    this.#link?.watch.sign();
  }

  noteOutbound(at: number): void {
    this.#log.note({ lastOutboundAt: at, lastSignAt: at });
    // The token that was refused is taken again.
    if (this.status.state === "needs-operator" && this.#up) this.#report("connected");
  }

  noteRejected(error: GatewayError): void {
    if (this.status.state === "needs-operator") return;
    this.#report("needs-operator", error);
    this.#up = true; // a passing fault heals by itself: the part is tried again in a while
  }

  async endIntake(): Promise<void> {
    this.#stop.abort();
    this.#link?.intake.abort();
    this.#log.close();
    await this.#running;
  }

  async shut(): Promise<void> {
    this.#up = false;
    await this.endIntake();
    await this.#takeDown();
    this.#report("stopped");
  }

  /** One connection after the other. Ends when the account is to stop, or only a person can help. */
  async #run(): Promise<void> {
    const { clock, random } = this.#deps;
    for (let attempt = 1; !this.#stop.signal.aborted; attempt += 1) {
      this.#report("starting");
      const since = clock.monotonic();
      const failure = await this.#hold().catch((error: unknown) => this.#asFailure(error));
      if (failure === undefined || this.#stop.signal.aborted) return;
      this.#up = false;
      const { code, retryable } = failure;
      const hopeless = !retryable && code !== "CHANNEL_FAILED";
      this.#report(hopeless ? "needs-operator" : code === "CHANNEL_SILENT" ? "deaf" : "backing-off", failure);
      if (code === "CHANNEL_SILENT" && attempt === WORRYING) this.#deps.onNeedsOperator(this.status.channel, this.status.account, failure);
      await this.#takeDown();
      if (hopeless) return;
      if (clock.monotonic() - since >= STABLE_MS) attempt = 1;
      await clock.sleep(failure.retryAfterMs ?? backoffMs(attempt, random()), this.#stop.signal).catch(() => {});
    }
  }

  /** Connects and stays until the connection is silent for too long, which it rejects with, or the account is to stop. */
  async #hold(): Promise<undefined> {
    const link = this.#connect();
    const ended = untilAborted(
      link.watch.tooLong.then((ms): never => {
        throw this.#silent(ms);
      }),
      this.#stop.signal,
    );
    ended.catch(() => {}); // a start that throws at once leaves it alone
    // Raced, so that a transport that hangs in its start holds up neither the end nor the next start.
    await Promise.race([link.transport.start(), ended]);
    // A transport that is up reports its own troubles and recoveries; what it said while it started stands.
    this.#started();
    return ended.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
      return undefined;
    });
  }

  #connect(): Link {
    const channel = this.#channel;
    if (channel.connect === undefined)
      throw new GatewayError("CHANNEL_RENDERS_ONLY", { detail: { channel: channel.label, id: channel.id } });
    const intake = new AbortController();
    setMaxListeners(0, intake.signal); // a transport may listen once per call in flight
    const unroute: (() => void)[] = [];
    let watch: SilenceWatch | undefined;
    const transport = channel.connect(
      this.#config.own,
      this.#hostOf(intake.signal, unroute, () => watch?.sign()),
    );
    watch = watchSilence(this.#deps.clock, transport.silenceLimitMs, () => this.status.state, intake.signal);
    const link = { intake, unroute, transport, watch };
    this.#link = link;
    return link;
  }

  #started(): void {
    if (this.#stop.signal.aborted) return;
    if (this.status.state === "starting") return this.#report("connected");
    if (this.status.state === "needs-operator" || this.#up) return;
    // Deaf or backing off for now: it can still send.
    this.#up = true;
    this.#deps.onConnected(this.status.channel, this.status.account);
  }

  #report(state: AccountState, error?: GatewayError): void {
    this.#log.change(state, error);
    if (state === "needs-operator") this.#up = false;
    if (state === "connected" && !this.#up) {
      this.#up = true;
      this.#deps.onConnected(this.status.channel, this.status.account);
    }
    this.#link?.watch.look();
  }

  async #takeDown(): Promise<void> {
    const link = this.#link;
    if (!link) return;
    link.intake.abort();
    const late = new AbortController();
    const patience = this.#deps.clock.sleep(STOP_MS, late.signal).catch(() => {});
    const stopped = link.transport
      .stop()
      .catch((error: unknown) => this.#deps.logger.warn({ error: describeError(error) }, "an account did not stop cleanly"));
    await Promise.race([stopped, patience]);
    late.abort();
    if (this.#link === link) this.#link = undefined;
    for (const undo of link.unroute.splice(0)) undo();
  }

  #hostOf(signal: AbortSignal, unroute: (() => void)[], onSign: () => void): ChannelHost {
    const { channel, account } = this.status;
    const { http, ...services } = this.#deps.services(channel, account);
    const { clock, logger } = this.#deps;
    // Of this very connection: by the time a message comes, the configuration may already name another.
    const { identity } = this;
    return {
      ...services,
      receive: (messages) =>
        services.receive(identity === undefined ? messages : messages.map((one) => ({ ...one, receivedAs: identity }))),
      channel,
      account,
      clock,
      logger: logger.child({ channel, account }),
      signal,
      alive: () => {
        if (signal.aborted) return;
        this.#log.note({ lastSignAt: clock.now() });
        onSign();
      },
      report: (state, error) => {
        if (!signal.aborted) this.#report(state, error);
      },
      ...(http ? { http: { route: (prefix, handler, options) => void unroute.push(http.route(prefix, handler, options)) } } : {}),
    };
  }

  #asFailure(error: unknown): GatewayError {
    const { channel, account } = this.status;
    return toGatewayError(error, "CHANNEL_FAILED", { channel, account });
  }

  #silent(ms: number): GatewayError {
    const { account } = this.status;
    return new GatewayError("CHANNEL_SILENT", {
      detail: { channel: this.#channel.label, account, seconds: Math.round(ms / 1000) },
      retryable: true,
    });
  }
}
