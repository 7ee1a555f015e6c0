import { type ChannelPlugin, conversationKey, type InboundMessage } from "@trunkline/plugin-sdk";

type Rules = Pick<ChannelPlugin, "fragments"> | undefined;

/** Whether `next` is another piece of the message that `previous` is a piece of. Pure. */
export function goesOn(previous: InboundMessage, next: InboundMessage, channel: Rules): boolean {
  if (channel?.fragments === undefined || previous.kind !== "message" || next.kind !== "message") return false;
  const same = previous.sender.id === next.sender.id && conversationKey(previous.conversation) === conversationKey(next.conversation);
  return same && channel.fragments.moreWithinMs(previous) > 0 && channel.fragments.follows(previous, next);
}

/** How long another piece of the message may still come, ms. Pure. */
export function moreWithin(message: InboundMessage, channel: Rules): number {
  return channel?.fragments?.moreWithinMs(message) ?? 0;
}

/** One message out of its pieces, in order: its words, all its media, and who it is by the first. Pure. */
export function joinFragments(pieces: readonly InboundMessage[], channel: Rules): InboundMessage {
  const [first, ...rest] = pieces;
  if (first === undefined || rest.length === 0) return first!;
  let { text } = first;
  for (const [index, piece] of rest.entries()) {
    // The pieces of an album have their words on one of them, mostly.
    const between = text === "" || piece.text === "" ? "" : (channel?.fragments?.between(pieces[index]!) ?? "\n");
    text += between + piece.text;
  }
  const mentions = { bot: pieces.some((one) => one.mentions.bot), others: [...new Set(pieces.flatMap((one) => one.mentions.others))] };
  return { ...first, text, media: pieces.flatMap(({ media }) => media), mentions };
}
