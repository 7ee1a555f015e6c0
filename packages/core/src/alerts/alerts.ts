import {
  type ChannelPlugin,
  type Clock,
  type ConfigSource,
  type ConversationRef,
  describeError,
  type Ids,
  type Logger,
  type OutboundPart,
  type Store,
} from "@trunkline/plugin-sdk";
import { composeNotice } from "../delivery/notice.ts";
import { filledText } from "../reply/texts.ts";
import { findPart, insertParts, type OutboxRow } from "../store/outbox.ts";
import { ownersElsewhere } from "./owners.ts";

/** One alert of a kind and account is told within this time. Ms. */
const EVERY_MS = 60 * 60 * 1000;
/** Alerts that wait for an account to come up by which an owner can be told. */
const WAITING = 100;

/** What an owner is told: which account, and what is wrong with it. */
export interface Alert {
  readonly kind: "account" | "dead-letter" | "store";
  /** Empty, with `account`, where no account is to blame. */
  readonly channel: string;
  readonly account: string;
  readonly problem: string;
  /** The next step, or the part that `trunkline explain` knows. */
  readonly next: string;
}

/** Tells the owner what only a person can mend. */
export interface Alerts {
  /** An account stopped and waits for its operator. */
  accountNeedsOperator(channel: string, account: string, error: { readonly message: string; readonly hint: string }): void;
  /** Nothing more can be stored: channels are paused. Told if it can be. */
  storePaused(error: { readonly message: string; readonly hint: string }): void;
  /** A part was given up. */
  partDead(part: string, code: string): void;
  /** An account came up: it needs nobody any more, and what waited for a way to an owner may go. */
  connected(channel: string, account: string): void;
  /** Resolves when every alert so far is in the outbox, waits for an account, or was held back. */
  settled(): Promise<void>;
}

export interface AlertsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly config: ConfigSource;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, ChannelPlugin<any>>;
  readonly isUp: (channel: string, account: string) => boolean;
  readonly send: (parts: readonly OutboxRow[]) => void;
}

/**
 * Creates the alerts of a gateway. An alert goes through the outbox to an owner's direct conversation on another account, at most
 * once an hour per kind and account; what becomes of it raises no further alert.
 */
export function createAlerts(deps: AlertsDeps): Alerts {
  const told = new Map<string, number>();
  const waiting = new Map<string, Alert>();
  let tail: Promise<void> = Promise.resolve();

  /** One after the other, so that two of one kind cannot both find that none was told. */
  const enqueue = (work: () => Promise<void>): void => {
    tail = tail.then(work).catch((error: unknown) => deps.logger.warn({ error: describeError(error) }, "an owner could not be told"));
  };

  const raise = async (alert: Alert): Promise<void> => {
    const key = `${alert.kind}:${alert.channel}:${alert.account}`;
    const last = told.get(key);
    if (last !== undefined && deps.clock.monotonic() - last < EVERY_MS) return;
    const owners = ownersElsewhere(deps.config.current().config.owners, alert, deps);
    const conversation = owners.find(({ channel, account }) => deps.isUp(channel, account));
    if (conversation === undefined) {
      if (owners.length > 0 && waiting.size < WAITING) waiting.set(key, alert);
      return;
    }
    const parts = await store(alert, conversation);
    waiting.delete(key);
    told.set(key, deps.clock.monotonic());
    deps.send(parts);
  };

  const store = async (alert: Alert, conversation: ConversationRef): Promise<readonly OutboxRow[]> => {
    const { config } = deps.config.current();
    const channel = deps.channels.get(conversation.channel)!; // `ownersElsewhere` knows the channel and the account
    const account = config.channels[conversation.channel]!.accounts[conversation.account]!;
    const now = deps.clock.now();
    const parts = composeNotice(
      {
        kind: "alert",
        text: sentenceOf(alert, config.messages.texts),
        conversation,
        // The hour is in the key: a gateway that crashes again and again does not tell again and again.
        subject: `alert:${alert.kind}:${alert.channel}:${alert.account}`,
        at: Math.floor(now / EVERY_MS),
      },
      { channel, account, silentToken: config.messages.silentToken, ids: deps.ids, now },
    );
    return deps.store.write((tx) => insertParts(tx, parts), "committed");
  };

  return {
    accountNeedsOperator(channel, account, { message, hint }) {
      enqueue(() => raise({ kind: "account", channel, account, problem: message, next: hint }));
    },
    storePaused({ message, hint }) {
      enqueue(() => raise({ kind: "store", channel: "", account: "", problem: message, next: hint }));
    },
    partDead(part, code) {
      enqueue(async () => {
        const row = await deps.store.read((tx) => findPart(tx, part));
        // An alert that cannot be delivered must not raise the next, and a stranger who blocks the bot is nobody's trouble.
        if (!row || row.kind === "alert" || row.kind === "pairing") return;
        const { channel, account } = (JSON.parse(row.bodyJson) as OutboundPart).conversation; // written from an OutboundPart
        await raise({ kind: "dead-letter", channel, account, problem: code, next: part });
      });
    },
    connected(channel, account) {
      waiting.delete(`account:${channel}:${account}`);
      for (const alert of waiting.values()) enqueue(() => raise(alert));
    },
    settled: () => tail,
  };
}

function sentenceOf({ kind, channel, account, problem, next }: Alert, texts: Readonly<Record<string, string>>): string {
  const place = `${channel}:${account}`;
  if (kind === "store") return filledText("alertStore", texts, { problem, hint: next });
  return kind === "account"
    ? filledText("alertAccount", texts, { account: place, problem, hint: next })
    : filledText("alertDeadLetter", texts, { account: place, problem, part: next });
}
