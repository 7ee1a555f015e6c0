import {
  conversationKey,
  type ConversationRef,
  type Decision,
  GatewayError,
  type OutboundMedia,
  type OutboundPart,
  type RenderProfile,
  type ReplyKind,
  type ReplyPayload,
  type ReplyToMode,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { groupConfigOf } from "../access/group.ts";
import type { Deps } from "../deps.ts";
import { type ComposeInput, composeParts } from "../delivery/compose.ts";
import { renderOptionsOf } from "../delivery/markdown-rules.ts";
import { derivedKey, previewKey } from "../delivery/part-key.ts";
import { isPreview } from "../delivery/part-kinds.ts";
import type { RenderOptions } from "../markdown/render-parts.ts";
import { parseReplyDirectives } from "../shaping/directives.ts";
import { withPrefix } from "../shaping/shape.ts";
import { insertParts, type NewPart } from "../store/outbox.ts";
import { ReplyTargets } from "./reply-target.ts";
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
  /** Shapes a reply and fits it to the channel. Numbers its parts in the turn; stores nothing. `elsewhere`: the conversation that a tool sends to. */
  compose(payload: ReplyPayload, kind?: ReplyKind, elsewhere?: ConversationRef): Promise<ComposedReply>;
  /**
   * The first message of an answer that still grows: what of it may be shown, and all of it, whose tags say what it quotes. `n` numbers the
   * previews of the turn. Undefined when there is nothing to show.
   */
  preview(visible: string, raw: string, n: number): Promise<NewPart | undefined>;
  /** Takes a preview's message away. */
  removal(shown: OutboundPart, n: number): NewPart;
  /** Writes parts durably, together with what `unit` writes, and hands them to the worker after the commit. */
  commit(rows: readonly NewPart[]): Promise<void>;
  commit<T>(rows: readonly NewPart[], unit: (tx: StoreTx) => Promise<T>): Promise<T>;
}

interface Place {
  readonly conversation: ConversationRef;
  readonly profile: RenderProfile;
  readonly rendering: RenderOptions;
  readonly sendAs: string | undefined;
}

function pathOf(payload: ReplyPayload, kind: ReplyKind, elsewhere: ConversationRef | undefined): ComposeInput["path"] {
  if (payload.isError === true) return "error";
  return elsewhere === undefined ? kind : "tool-send";
}

/** How a message to another conversation is fitted. Whoever called made sure that there is such an account. */
function placeOf(conversation: ConversationRef, turn: Turn, deps: Deps): Place {
  const account = turn.config.config.channels[conversation.channel]?.accounts[conversation.account];
  const channel = deps.channels.get(conversation.channel);
  if (!account || !channel) throw new GatewayError("CHANNEL_UNKNOWN", { detail: { channel: conversation.channel } });
  const own = conversation.channel === turn.message.conversation.channel && conversation.account === turn.message.conversation.account;
  return {
    conversation,
    profile: channel.render(account.own),
    rendering: renderOptionsOf(account, conversation),
    sendAs: own ? turn.message.receivedAs : undefined,
  };
}

/** Which parts of an answer quote what they answer: as the group says, else as the account says for this kind of chat. */
function replyModeOf({ account, message }: Pick<Turn, "account" | "message">): ReplyToMode {
  const { conversation } = message;
  const group = conversation.kind === "direct" ? undefined : groupConfigOf(account, conversation)?.config.replyTo;
  return group ?? account.replyToMode?.[conversation.kind] ?? "off";
}

/** Creates the outgoing side of a turn. */
export function createTurnOutbox(turn: Turn, deps: Deps): TurnOutbox {
  const { conversation } = turn.message;
  const profile = turn.channel.render(turn.account.own);
  let partsBefore = turn.journal.partsBefore;
  let committed = turn.journal.partsBefore;
  const home: Place = { conversation, profile, rendering: renderOptionsOf(turn.account, conversation), sendAs: turn.message.receivedAs };
  const homeKey = conversationKey(conversation);
  const mode = replyModeOf(turn);
  const targets = new ReplyTargets(deps.store, turn.message.id);
  let quoted = turn.journal.spokeBefore;
  const toRow = (part: OutboundPart, number: number, kind: string): NewPart => ({
    id: part.id,
    conv: conversationKey(part.conversation),
    // Elsewhere this turn answers no message.
    seq: conversationKey(part.conversation) === homeKey ? turn.row.seq : 0,
    part: number,
    turn: turn.id,
    kind,
    key: part.key,
    op: "send",
    bodyJson: JSON.stringify(part),
    createdAt: deps.clock.now(),
  });
  const parts = (payload: ReplyPayload, media: readonly OutboundMedia[], before: number, path: ComposeInput["path"], place = home) =>
    composeParts({
      path,
      payload,
      media,
      ...place,
      quotesEach: mode === "all" && payload.replyToCurrent === true,
      turn: turn.id,
      seq: turn.row.seq,
      partsBefore: before,
      currentMessageId: turn.message.id,
      silentToken: turn.config.config.messages.silentToken,
      ids: deps.ids,
      onGuard: (found, path) =>
        deps.logger.warn({ trace: turn.row.id, turn: turn.id, path, found }, "the last guard removed control text that shaping had missed"),
    });
  /** An answer that says nothing about quoting does as the channel is told to. */
  const quoting = (payload: ReplyPayload): ReplyPayload => {
    if (mode === "off" || (mode === "first" && quoted) || payload.replyToId !== undefined || payload.replyToTag === true) return payload;
    return { ...payload, replyToCurrent: true };
  };
  return {
    committed: () => committed,
    async compose(payload, kind = "final", elsewhere) {
      const answers = kind !== "tool";
      const shaped = await shapeTurnReply(
        payload,
        turn,
        deps.outboundMedia,
        answers ? { sent: turn.sends.here(), prefix: turn.prefix.next() } : {},
      );
      if ("dropped" in shaped) {
        deps.logger.debug({ trace: turn.row.id, turn: turn.id, step: shaped.by }, "a reply is not sent");
        return { rows: [], dropped: { stage: "shaping", code: shaped.by, why: shaped.why } };
      }
      const place = elsewhere === undefined ? home : placeOf(elsewhere, turn, deps);
      const said = await targets.settle(shaped.payload, place.conversation);
      const composed = parts(answers ? quoting(said) : said, shaped.media, partsBefore, pathOf(payload, kind, elsewhere), place);
      if (answers && composed.length > 0) {
        quoted = true;
        if ((shaped.payload.text ?? "").trim() !== "" && payload.isError !== true) turn.prefix.use();
      }
      const first = partsBefore;
      partsBefore += composed.length;
      return { rows: composed.map((part, index) => toRow(part, first + index, kind)) };
    },
    async preview(visible, raw, n) {
      const { replyToId, replyToCurrent } = parseReplyDirectives(raw, { silentToken: turn.config.config.messages.silentToken });
      const prefix = turn.prefix.next();
      const text = prefix === undefined ? visible : withPrefix(prefix, visible);
      const payload = await targets.settle({ text, replyToCurrent, ...(replyToId === undefined ? {} : { replyToId }) }, conversation);
      const [part] = parts(quoting(payload), [], 0, "preview");
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
      committed += rows.filter((row) => !isPreview(row) && row.conv === homeKey).length;
      deps.worker.enqueue(stored);
      return value;
    },
  };
}
