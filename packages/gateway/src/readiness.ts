import { type AccountStatus, type Pipeline, probeStore } from "@trunkline/core";
import { type Clock, type Store, toGatewayError } from "@trunkline/plugin-sdk";

/** Whether the gateway takes messages; the reasons are for people. */
export interface Readiness {
  readonly ready: boolean;
  readonly why: readonly string[];
}

/** A look at the store counts for so long, whoever asks. Unit: ms. */
const LOOK_MS = 1000;
/** A store that takes longer does not answer. Unit: ms. */
const PATIENCE_MS = 5000;

/** Looks whether the store takes what is written; gives what is wrong with it, undefined when nothing is. */
export type StoreWatch = () => Promise<string | undefined>;

/**
 * Creates the look at the store: one write at most once a second, so that anybody may ask often. Names the error's code and nothing
 * else: the store's sentences hold paths, which are the operator's business.
 */
export function watchStore(store: Store, clock: Clock): StoreWatch {
  let last: { readonly at: number; readonly answer: Promise<string | undefined> } | undefined;
  const look = async (): Promise<string | undefined> => {
    const patience = new AbortController();
    const late = clock.sleep(PATIENCE_MS, patience.signal).then(
      () => "the store does not answer",
      () => undefined,
    );
    const probe = probeStore(store, clock.now()).then(
      () => undefined,
      (error: unknown) => `the store refuses what is written: ${toGatewayError(error, "STORE_FAILED").code}`,
    );
    return Promise.race([probe, late]).finally(() => patience.abort());
  };
  return () => {
    const now = clock.monotonic();
    if (last === undefined || now - last.at >= LOOK_MS) last = { at: now, answer: look() };
    return last.answer;
  };
}

/** What readiness is made of. */
export interface ReadinessParts {
  /** Undefined while the gateway starts. */
  readonly pipeline: Pick<Pipeline, "accounts" | "trouble"> | undefined;
  readonly closing: boolean;
  readonly store: StoreWatch;
}

/** Ready when messages can be stored, and each enabled account is connected or has said why it is not. Anybody may ask: no paths. */
export async function readiness({ pipeline, closing, store }: ReadinessParts): Promise<Readiness> {
  if (closing) return { ready: false, why: ["the gateway is stopping"] };
  if (pipeline === undefined) return { ready: false, why: ["the gateway is starting"] };
  const paused = pipeline
    .trouble()
    .map(({ code, message, namesPath }) => `channels are paused: ${namesPath ? code : `${code}: ${message}`}`);
  const wrong = paused.length > 0 ? undefined : await store();
  // An account that is made anew has said what is wrong with it.
  const starting = pipeline.accounts().filter(({ state, lastError }) => state === "starting" && lastError === null);
  const why = [
    ...paused,
    ...(wrong === undefined ? [] : [wrong]),
    ...starting.map(({ channel, account }) => `${channel}:${account} is starting`),
  ];
  return { ready: why.length === 0, why };
}

/** How long a start waits for its page, ms. An account that takes longer than this has trouble, and says so itself. */
const PAGE_PATIENCE_MS = 5000;
/** How often it is looked at, ms. */
const PAGE_LOOK_MS = 5;

/** Resolves once no account of the channel is starting any more, so that who is told of the page finds one. */
export async function untilStarted(channel: string, accounts: () => readonly AccountStatus[], clock: Clock): Promise<void> {
  const until = clock.monotonic() + PAGE_PATIENCE_MS;
  const isStarting = (): boolean => accounts().some((account) => account.channel === channel && account.state === "starting");
  while (isStarting() && clock.monotonic() < until) await clock.sleep(PAGE_LOOK_MS);
}
