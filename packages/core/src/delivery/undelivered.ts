import type { ChannelPlugin, GatewayConfig, Ids, OutboundPart } from "@trunkline/plugin-sdk";
import { textOf } from "../reply/texts.ts";
import type { NewPart, OutboxRow } from "../store/outbox.ts";
import { composeNotice } from "./notice.ts";

export interface UndeliveredContext {
  readonly config: GatewayConfig;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, ChannelPlugin<any>>;
  readonly ids: Ids;
  /** Ms UTC. */
  readonly now: number;
}

/**
 * The sentence that tells a person that a part of their answer is missing. Its key is the answer's, so that an answer of which several
 * parts die says so once. Nothing when its account is no longer configured.
 */
export function undeliveredNotice(row: OutboxRow, { conversation, sendAs }: OutboundPart, context: UndeliveredContext): readonly NewPart[] {
  const channel = context.channels.get(conversation.channel);
  const account = context.config.channels[conversation.channel]?.accounts[conversation.account];
  if (!channel || !account) return [];
  const { texts, silentToken } = context.config.messages;
  return composeNotice(
    {
      kind: "undelivered",
      text: textOf("undelivered", texts),
      conversation,
      sendAs,
      subject: `undelivered:${row.turn ?? row.id}`,
      at: 0,
      ...(row.turn === null ? {} : { turn: row.turn }),
      seq: row.seq,
    },
    { channel, account, silentToken, ids: context.ids, now: context.now },
  );
}
