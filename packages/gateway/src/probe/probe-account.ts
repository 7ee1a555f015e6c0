import {
  type ChannelHost,
  type ChannelPlugin,
  type Clock,
  GatewayError,
  isGatewayError,
  silentLogger,
  toGatewayError,
} from "@trunkline/plugin-sdk";

/** Time that an account has to connect, ms. */
const CONNECT_MS = 10_000;

/** What is connected, and for how long it is watched. */
export interface AccountProbe {
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channel: ChannelPlugin<any>;
  readonly account: string;
  /** The channel's own keys. */
  readonly own: unknown;
  readonly clock: Clock;
  /** How long it is listened to once it is up, ms: a second program with its token shows only then. */
  readonly listenMs: number;
}

/**
 * Connects an account as the gateway would and gives what is wrong with it; undefined when it works. No message is taken: what waits
 * on the platform waits on. Not for an account that a running gateway has; the two would cut each other off. Never rejects.
 */
export async function probeAccount({ channel, account, own, clock, listenMs }: AccountProbe): Promise<GatewayError | undefined> {
  if (channel.connect === undefined)
    return new GatewayError("CHANNEL_RENDERS_ONLY", { detail: { channel: channel.label, id: channel.id } });
  const stop = new AbortController();
  let told: (error: GatewayError) => void = () => {};
  const complaint = new Promise<GatewayError>((resolve) => (told = resolve));
  const transport = channel.connect(own, throwawayHost(channel.id, account, clock, stop.signal, told));
  const tooLate = clock.sleep(CONNECT_MS, stop.signal).then(
    () => new GatewayError("CHANNEL_UNREACHABLE", { detail: { channel: channel.label, account, reason: "no answer" } }),
    () => undefined,
  );
  const started = transport.start().then(
    () => Promise.race([complaint, clock.sleep(listenMs, stop.signal).catch(() => undefined)]),
    (error: unknown) => toGatewayError(error, "CHANNEL_FAILED", { channel: channel.label, account }),
  );
  try {
    return (await Promise.race([started, complaint, tooLate.then((error) => error ?? started)])) ?? undefined;
  } finally {
    stop.abort();
    await transport.stop().catch(() => {});
  }
}

function throwawayHost(
  channel: string,
  account: string,
  clock: Clock,
  signal: AbortSignal,
  told: (error: GatewayError) => void,
): ChannelHost {
  // What is refused is not acknowledged, so the platform keeps it.
  const refusal = new GatewayError("STORE_UNAVAILABLE", { detail: { path: "of a connection test" } });
  const refuse = (): Promise<never> => Promise.reject(refusal);
  return {
    channel,
    account,
    clock,
    logger: silentLogger,
    signal,
    receive: refuse,
    unreadable: refuse,
    saveMedia: refuse,
    history: async () => [],
    message: async () => undefined,
    openMedia: async () => undefined,
    memory: { get: async () => undefined, set: async () => {} },
    alive: () => {},
    report(_state, error) {
      if (error !== undefined && error !== refusal && isGatewayError(error)) told(error);
    },
  };
}
