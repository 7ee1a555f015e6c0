import { type AccountConfig, type ChannelPlugin, type ConversationRef, conversationKey, type Ids } from "@trunkline/plugin-sdk";
import type { NewPart } from "../store/outbox.ts";
import { composeParts } from "./compose.ts";
import { renderOptionsOf } from "./markdown-rules.ts";
import { partKey } from "./part-key.ts";
import type { NoticeKind } from "./part-kinds.ts";

/** A sentence of the gateway's own: a pairing code, an approval, an alert, a word about a part that could not be delivered. */
export interface Notice {
  readonly kind: NoticeKind;
  /** Markdown. */
  readonly text: string;
  readonly conversation: ConversationRef;
  /** Who has to say it: who was written to. Absent for what answers nobody. */
  readonly sendAs?: string | undefined;
  /** What the notice is about; with `at` it makes the key, so that the same notice is sent once. */
  readonly subject: string;
  /** Ms UTC, or any number that tells two notices of one subject apart. */
  readonly at: number;
  /** The turn under which `explain` finds it. */
  readonly turn?: string;
  /** Number, in its conversation, of the message that it answers. */
  readonly seq?: number;
}

export interface NoticeContext {
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channel: ChannelPlugin<any>;
  readonly account: AccountConfig;
  readonly silentToken: string;
  readonly ids: Ids;
  /** Ms UTC. */
  readonly now: number;
}

/** A notice as parts of the outbox, through the same door as every answer. Stores nothing. */
export function composeNotice(notice: Notice, context: NoticeContext): readonly NewPart[] {
  const { conversation, subject, at } = notice;
  const parts = composeParts({
    path: "notice",
    payload: { text: notice.text },
    media: [],
    profile: context.channel.render(context.account.own),
    rendering: renderOptionsOf(context.account, conversation),
    conversation,
    sendAs: notice.sendAs,
    turn: subject,
    seq: at,
    partsBefore: 0,
    currentMessageId: "",
    silentToken: context.silentToken,
    ids: context.ids,
    onGuard: () => {},
  });
  return parts.map(({ turn: _subject, ...part }, index) => ({
    id: part.id,
    conv: conversationKey(conversation),
    seq: notice.seq ?? 0,
    part: index,
    turn: notice.turn ?? null,
    kind: notice.kind,
    key: part.key,
    op: "send",
    bodyJson: JSON.stringify(part),
    createdAt: context.now,
  }));
}

/** The key of a notice's first part. */
export function noticeKey({ subject, at }: Pick<Notice, "subject" | "at">): string {
  return partKey(subject, at, 0);
}
