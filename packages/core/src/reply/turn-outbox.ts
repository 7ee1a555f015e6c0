import type { Decision, OutboundPart, ReplyPayload, StoreTx } from "@trunkline/plugin-sdk";
import { conversationKey } from "@trunkline/plugin-sdk";
import type { Deps } from "../deps.ts";
import { composeParts } from "../delivery/compose.ts";
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
  compose(payload: ReplyPayload): Promise<ComposedReply>;
  /** Writes parts durably, together with what `unit` writes, and hands them to the worker after the commit. */
  commit(rows: readonly NewPart[]): Promise<void>;
  commit<T>(rows: readonly NewPart[], unit: (tx: StoreTx) => Promise<T>): Promise<T>;
}

/** Creates the outgoing side of a turn. */
export function createTurnOutbox(turn: Turn, deps: Deps): TurnOutbox {
  const { conversation } = turn.message;
  const profile = turn.channel.render(turn.account.own);
  let partsBefore = turn.journal.partsBefore;
  const toRow = (part: OutboundPart, number: number): NewPart => ({
    id: part.id,
    conv: conversationKey(conversation),
    seq: turn.row.seq,
    part: number,
    turn: turn.id,
    kind: "reply",
    key: part.key,
    op: "send",
    bodyJson: JSON.stringify(part),
    createdAt: deps.clock.now(),
  });
  let committed = turn.journal.partsBefore;
  return {
    committed: () => committed,
    async compose(payload) {
      const shaped = await shapeTurnReply(payload, turn, deps.outboundMedia);
      if ("dropped" in shaped) {
        deps.logger.debug({ trace: turn.row.id, turn: turn.id, step: shaped.by }, "a reply is not sent");
        return { rows: [], dropped: { stage: "shaping", code: shaped.by, why: shaped.why } };
      }
      const parts = composeParts({
        payload: shaped.payload,
        media: shaped.media,
        profile,
        tableMode: turn.account.tables,
        conversation,
        turn: turn.id,
        seq: turn.row.seq,
        partsBefore,
        currentMessageId: turn.message.id,
        silentToken: turn.config.config.messages.silentToken,
        ids: deps.ids,
        onGuard: (found) =>
          deps.logger.warn({ trace: turn.row.id, turn: turn.id, found }, "the last guard removed control text that shaping had missed"),
      });
      const first = partsBefore;
      partsBefore += parts.length;
      return { rows: parts.map((part, index) => toRow(part, first + index)) };
    },
    async commit<T>(rows: readonly NewPart[], unit?: (tx: StoreTx) => Promise<T>): Promise<T | void> {
      const { value, stored } = await deps.store.write(async (tx) => {
        const stored = await insertParts(tx, rows);
        return { value: await unit?.(tx), stored };
      }, "durable");
      committed += rows.length;
      deps.worker.enqueue(stored);
      return value;
    },
  };
}
