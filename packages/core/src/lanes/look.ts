import type { ChannelPlugin, Clock, ConfigSource, GatewayConfig, InboundMessage, Store } from "@trunkline/plugin-sdk";
import { goesOn, moreWithin } from "../inbound/fragments.ts";
import { messageOf, turnIdOf } from "../reply/rows.ts";
import { parseSessionKey } from "../routing/session-key.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { openInboundOfSession, type InboxRow } from "../store/inbox.ts";
import { findTurn } from "../store/turns.ts";
import { takesOwnTurn } from "./own-turn.ts";
import { type LaneStep, planLane, type Waiting } from "./plan.ts";
import { type QueueSettings, queueSettingsOf } from "./queue-settings.ts";

/** Rows that are read beyond the cap, so that an overflow shows. What is beyond them is found at the next look. */
const BEYOND_CAP = 50;

export interface QueueDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: ConfigSource;
  readonly sessions: Pick<Sessions, "settings">;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, ChannelPlugin<any>>;
}

export type Quiet = Pick<Waiting, "piecesMs" | "debounceMs">;

/** The queue of a session: the open messages in the inbox table. */
export interface Queue {
  /** What a session's lane does next. `previous` began what it did last. */
  look(sessionKey: string, previous: InboxRow | undefined): Promise<LaneStep>;
  settings(sessionKey: string): Promise<QueueSettings>;
  /** The open messages behind those that the turn answers already, with what is known about them; oldest first. */
  behind(sessionKey: string, turn: string): Promise<readonly Waiting[]>;
  /** How long more of a message is waited for before it is answered, ms. */
  quiet(message: InboundMessage): Quiet;
}

/** Creates the queue of a gateway. */
export function createQueue(deps: QueueDeps): Queue {
  const { store, clock, config, sessions, channels } = deps;
  const settings = async (sessionKey: string): Promise<QueueSettings> =>
    queueSettingsOf(config.current().config, parseSessionKey(sessionKey)?.agent, (await sessions.settings(sessionKey)).queue);
  const about = (row: InboxRow, previous?: InboundMessage): Waiting => {
    const message = messageOf(row);
    const channel = channels.get(row.channel);
    const own = takesOwnTurn(message, channel);
    const continued = previous !== undefined && goesOn(previous, message, channel);
    return {
      row,
      message,
      own: !continued && own,
      goesOn: continued,
      ...quietAfter(message, config.current().config, channel),
    };
  };
  const all = (rows: readonly InboxRow[]): readonly Waiting[] => {
    const waiting: Waiting[] = [];
    for (const row of rows) waiting.push(about(row, waiting.at(-1)?.message));
    return waiting;
  };
  return {
    settings,
    quiet: (message) => quietAfter(message, config.current().config, channels.get(message.conversation.channel)),
    async look(sessionKey, previous) {
      const chosen = await settings(sessionKey);
      const { rows, begun } = await store.read(async (tx) => {
        const found = await openInboundOfSession(tx, { sessionKey, limit: chosen.cap + BEYOND_CAP });
        const head = found[0];
        return { rows: found, begun: head !== undefined && (await findTurn(tx, turnIdOf(head.id))) !== undefined };
      });
      const afterTalk = previous !== undefined && !about(previous).own;
      return planLane({ waiting: all(rows), begun, settings: chosen, afterTalk, now: clock.now() });
    },
    async behind(sessionKey, turn) {
      const { cap } = await settings(sessionKey);
      const rows = await store.read((tx) => openInboundOfSession(tx, { sessionKey, limit: cap + BEYOND_CAP }));
      return all(rows.filter((row) => row.turn !== turn && turnIdOf(row.id) !== turn));
    },
  };
}

/** How long more is waited for behind a message, ms: other pieces of it, and more words of its sender. Files and commands are for at once. Pure. */
export function quietAfter(
  message: InboundMessage,
  { channels, messages }: Pick<GatewayConfig, "channels" | "messages">,
  channel: Pick<ChannelPlugin, "fragments" | "mentions"> | undefined,
): Quiet {
  const { conversation, media } = message;
  const piecesMs = moreWithin(message, channel);
  if (media.length > 0 || takesOwnTurn(message, channel)) return { piecesMs, debounceMs: 0 };
  const debounceMs = channels[conversation.channel]?.accounts[conversation.account]?.debounceMs ?? messages.inbound?.debounceMs ?? 0;
  return { piecesMs, debounceMs };
}

/** The line that says how long more words are waited for. Pure. */
export function debouncePath(
  { conversation: { channel, account } }: InboundMessage,
  { channels }: Pick<GatewayConfig, "channels">,
): string {
  const own = channels[channel]?.accounts[account]?.debounceMs;
  return own === undefined ? "messages.inbound.debounceMs" : `channels.${channel}.accounts.${account}.debounceMs`;
}
