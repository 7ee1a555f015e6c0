import type { ConversationRef, Ids, OutboundMedia, OutboundPart, RenderedPart, RenderProfile, ReplyPayload } from "@trunkline/plugin-sdk";
import { type RenderOptions, renderParts } from "../markdown/render-parts.ts";
import { guardControlText } from "../shaping/egress-guard.ts";
import type { EgressPath } from "./egress-paths.ts";
import { partKey } from "./part-key.ts";

export interface ComposeInput {
  /** The way by which it leaves. */
  readonly path: Exclude<EgressPath, "draft">;
  readonly payload: ReplyPayload;
  /** Files of the payload, resolved and copied in, in order. */
  readonly media: readonly OutboundMedia[];
  readonly profile: RenderProfile;
  /** How the conversation wants its text (`renderOptionsOf`). */
  readonly rendering: RenderOptions;
  readonly conversation: ConversationRef;
  /** Who has to send it (`OutboundPart.sendAs`). */
  readonly sendAs: string | undefined;
  readonly turn: string;
  /** Number of the answered message in its conversation. */
  readonly seq: number;
  /** Parts of the turn that were composed before. */
  readonly partsBefore: number;
  /** The started message's id; quoted when the payload asks for it. */
  readonly currentMessageId: string;
  /** Every part quotes, not only the first. */
  readonly quotesEach?: boolean;
  readonly silentToken: string;
  readonly ids: Ids;
  /** Told when the last guard had to remove something that an earlier step missed; the kinds and the way, never the text. */
  readonly onGuard: (found: readonly string[], path: EgressPath) => void;
}

/**
 * Fits a shaped payload to its channel: rendered once, cut where the channel's limit says, files first with the text as caption
 * when it fits. This is the only door to the outbox, so the last guard against control text stands here. Gives no part for a
 * payload without anything visible.
 */
export function composeParts(input: ComposeInput): readonly OutboundPart[] {
  const { text, acted, found } = guardControlText(input.payload.text ?? "", { silentToken: input.silentToken });
  if (acted) input.onGuard(found, input.path);
  const rendered = text.trim() === "" ? [] : renderParts(text, input.profile, input.rendering);
  const bodies = arrange(rendered, input.media, input.profile.captionLimit);
  const replyToId = input.payload.replyToId ?? (input.payload.replyToCurrent ? input.currentMessageId : undefined);
  return bodies.map((body, index) => ({
    id: input.ids.next("ob"),
    key: partKey(input.turn, input.seq, input.partsBefore + index),
    conversation: input.conversation,
    ...(input.sendAs === undefined ? {} : { sendAs: input.sendAs }),
    turn: input.turn,
    ...body,
    ...((index === 0 || input.quotesEach === true) && replyToId !== undefined ? { replyToId } : {}),
    ...(index === 0 && input.payload.channelData ? { channelData: input.payload.channelData } : {}),
  }));
}

type Body = Pick<OutboundPart, "text" | "media">;

/** Files become parts of their own; a text that fits the caption goes with the first one, a longer one follows. */
function arrange(rendered: readonly RenderedPart[], media: readonly OutboundMedia[], captionLimit: number | undefined): readonly Body[] {
  const files: Body[] = media.map((file) => ({ media: [file] }));
  const [first, ...rest] = files;
  const [caption] = rendered;
  if (first && caption && rendered.length === 1 && captionLimit !== undefined && caption.length <= captionLimit) {
    return [{ ...first, text: caption }, ...rest];
  }
  return [...files, ...rendered.map((text) => ({ text }))];
}
