import type { InboundMessage } from "@trunkline/plugin-sdk";
import type { MessageReactionUpdated, ReactionType } from "grammy/types";
import type { BotIdentity } from "./mentions.ts";

/**
 * A changed reaction as an event about the message that it is on: its text is what was added, empty when something was only taken away. Who counts
 * anonymously (`message_reaction_count`) is not asked for. In groups the platform tells only administrators. The topic is not told. Source:
 * core.telegram.org/bots/api#messagereactionupdated.
 */
export function reactionMessage(
  event: MessageReactionUpdated,
  { me, account, updateId }: { readonly me: BotIdentity; readonly account: string; readonly updateId: number },
): InboundMessage {
  const { chat, user, actor_chat: actor } = event;
  const who = actor ?? user;
  if (who === undefined) throw new TypeError("the reaction has no sender");
  const name =
    actor === undefined ? [user?.first_name, user?.last_name].filter(Boolean).join(" ") : "title" in actor ? actor.title : undefined;
  const before = event.old_reaction.map(shown);
  const messageId = String(event.message_id);
  return {
    kind: "reaction",
    id: messageId,
    eventId: String(updateId),
    conversation: { channel: "telegram", account, kind: chat.type === "private" ? "direct" : "group", id: String(chat.id) },
    sender: {
      id: String(who.id),
      ...(name ? { name } : {}),
      ...(who.username ? { username: who.username } : {}),
      isBot: actor === undefined && user?.is_bot === true,
      isSelf: String(who.id) === me.id,
    },
    text: event.new_reaction
      .map(shown)
      .filter((one) => !before.includes(one))
      .join(" "),
    media: [],
    mentions: { bot: false, others: [] },
    anchor: { kind: "reaction", messageId },
    ...(chat.type === "private" ? {} : { labels: { subject: chat.title ?? "" } }),
    sentAt: event.date * 1000,
    channelData: { updateId, bot: me.username },
  };
}

/** A reaction in a text; a custom emoji by its number, for it has no other name. */
function shown(reaction: ReactionType): string {
  if (reaction.type === "emoji") return reaction.emoji;
  return reaction.type === "custom_emoji" ? `custom emoji ${reaction.custom_emoji_id}` : "a paid star";
}
