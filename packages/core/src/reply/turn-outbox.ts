import type { Decision, OutboundMedia, OutboundPart, ReplyKind, ReplyPayload, StoreTx } from "@trunkline/plugin-sdk";
import { conversationKey } from "@trunkline/plugin-sdk";
import type { Deps } from "../deps.ts";
import { composeParts } from "../delivery/compose.ts";
import { renderOptionsOf } from "../delivery/markdown-rules.ts";
import { derivedKey, previewKey } from "../delivery/part-key.ts";
import { isPreview } from "../delivery/part-kinds.ts";
import { parseReplyDirectives } from "../shaping/directives.ts";
import { insertParts, type NewPart } from "../store/outbox.ts";
import { shapeTurnReply } from "./shape-reply.ts";
import type { Turn } from "./turn.ts";

/** A reply as outbox parts, or the decision that nothing of it is sent. */
export interface ComposedReply {
  readonly rows: readonly NewPart[];
  readonly dropped?: Decision;
}

/** The outgoing side of one turn: the one door from a reply to the outbox. */
export interface TurnOutbox {
  /** Parts of the answer that are committed, by this start of the turn and earlier ones. */
  committed(): number;
  /** Shapes a reply and fits it to the channel. Numbers its parts in the turn; stores nothing. */
  compose(payload: ReplyPayload, kind?: ReplyKind): Promise<ComposedReply>;
  /**
   * The first message of an answer that still grows: what of it may be shown, and all of it, whose tags say what it quotes. `n` numbers the
   * previews of the turn. Undefined when there is nothing to show.
   */
  preview(visible: string, raw: string, n: number): NewPart | undefined;
  /** Takes a preview's message away. */
  removal(shown: OutboundPart, n: number): NewPart;
  /** Writes parts durably, together with what `unit` writes, and hands them to the worker after the commit. */
  commit(rows: readonly NewPart[]): Promise<void>;
  commit<T>(rows: readonly NewPart[], unit: (tx: StoreTx) => Promise<T>): Promise<T>;
}

/** Creates the outgoing side of a turn. */
export function createTurnOutbox(turn: Turn, deps: Deps): TurnOutbox {
  const { conversation } = turn.message;
  const profile = turn.channel.render(turn.account.own);
  let partsBefore = turn.journal.partsBefore;
  let committed = turn.journal.partsBefore;
  const toRow = (part: OutboundPart, number: number, kind: string): NewPart => ({
    id: part.id,
    conv: conversationKey(conversation),
    seq: turn.row.seq,
    part: number,
    turn: turn.id,
    kind,
    key: part.key,
    op: "send",
    bodyJson: JSON.stringify(part),
    createdAt: deps.clock.now(),
  });
  const parts = (payload: ReplyPayload, media: readonly OutboundMedia[], before: number) =>
    composeParts({
      payload,
      media,
      profile,
      rendering: renderOptionsOf(turn.account, conversation),
      conversation,
      sendAs: turn.message.receivedAs,
      turn: turn.id,
      seq: turn.row.seq,
      partsBefore: before,
      currentMessageId: turn.message.id,
      silentToken: turn.config.config.messages.silentToken,
      ids: deps.ids,
      onGuard: (found) =>
        deps.logger.warn({ trace: turn.row.id, turn: turn.id, found }, "the last guard removed control text that shaping had missed"),
    });
  return {
    committed: () => committed,
    async compose(payload, kind = "final") {
      const shaped = await shapeTurnReply(payload, turn, deps.outboundMedia);
      if ("dropped" in shaped) {
        deps.logger.debug({ trace: turn.row.id, turn: turn.id, step: shaped.by }, "a reply is not sent");
        return { rows: [], dropped: { stage: "shaping", code: shaped.by, why: shaped.why } };
      }
      const composed = parts(shaped.payload, shaped.media, partsBefore);
      const first = partsBefore;
      partsBefore += composed.length;
      return { rows: composed.map((part, index) => toRow(part, first + index, kind)) };
    },
    preview(visible, raw, n) {
      const { replyToId, replyToCurrent } = parseReplyDirectives(raw, { silentToken: turn.config.config.messages.silentToken });
      const [part] = parts({ text: visible, replyToCurrent, ...(replyToId === undefined ? {} : { replyToId }) }, [], 0);
      return part && toRow({ ...part, key: previewKey(turn.id, turn.row.seq, n) }, 0, "preview");
    },
    removal({ text: _shown, ...shown }, n) {
      const part = { ...shown, id: deps.ids.next("ob"), key: derivedKey(previewKey(turn.id, turn.row.seq, n), 0), replaces: shown.id };
      return { ...toRow(part, 0, "preview"), op: "delete" };
    },
    async commit<T>(rows: readonly NewPart[], unit?: (tx: StoreTx) => Promise<T>): Promise<T | void> {
      const { value, stored } = await deps.store.write(async (tx) => {
        const stored = await insertParts(tx, rows);
        return { value: await unit?.(tx), stored };
      }, "durable");
      committed += rows.filter((row) => !isPreview(row)).length;
      deps.worker.enqueue(stored);
      return value;
    },
  };
}
