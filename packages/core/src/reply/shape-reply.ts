import type { OutboundMedia, ReplyPayload } from "@trunkline/plugin-sdk";
import type { OutboundMediaResolver } from "../media/outbound-media.ts";
import { parseReplyDirectives } from "../shaping/directives.ts";
import { mergeMediaUrls } from "../shaping/payloads.ts";
import { shapeReply } from "../shaping/shape.ts";
import { speakerLine } from "./prompt.ts";
import type { Turn } from "./turn.ts";

/** A reply that is fit to be composed, or why nothing of it is sent. */
export type ShapedReply =
  | { readonly payload: ReplyPayload; readonly media: readonly OutboundMedia[] }
  | { readonly dropped: true; readonly by: string; readonly why: string };

/**
 * Shapes one reply of a turn: looks its files up on disk first, so that the steps themselves stay pure, then runs the steps.
 */
export async function shapeTurnReply(
  payload: ReplyPayload,
  turn: Turn,
  resolver: OutboundMediaResolver,
  said: { readonly sent?: readonly string[]; readonly prefix?: string | undefined } = {},
): Promise<ShapedReply> {
  const { silentToken, silence } = turn.config.config.messages;
  const written = parseReplyDirectives(payload.text ?? "", { silentToken });
  const targets = mergeMediaUrls(payload.mediaUrls, payload.mediaUrl, written.mediaUrls);
  const files = new Map<string, OutboundMedia>();
  for (const target of targets) {
    const file = await resolver.resolve(target, turn.agent.id, turn.signal);
    if (file) files.set(target, file).set(file.path, file);
  }
  const shaped = shapeReply(payload, {
    silentToken,
    silence,
    ...said,
    ...(turn.message.conversation.kind === "direct" ? {} : { speaker: speakerLine(turn.message) }),
    currentMessageId: turn.message.id,
    mediaAllowed: (url) => files.get(url)?.path ?? null,
  });
  if ("dropped" in shaped) return shaped;
  const media = mergeMediaUrls(shaped.payload.mediaUrls, shaped.payload.mediaUrl).flatMap((url) => files.get(url) ?? []);
  return { payload: shaped.payload, media };
}
