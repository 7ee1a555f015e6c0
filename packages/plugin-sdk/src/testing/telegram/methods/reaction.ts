import { LOG_LIMIT } from "../audit.ts";
import { dropOldest } from "../bounded-log.ts";
import { badRequest } from "../refusal.ts";
import { findChat } from "../target.ts";
import type { Method } from "./method.ts";

// The reactions that any chat may allow; none has a variation selector. Source: core.telegram.org/bots/api#reactiontypeemoji.
const EMOJI = new Set(
  (
    "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 " +
    "🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
  ).split(" "),
);

/** setMessageReaction: at most one of the 73 emoji; an empty list takes it back. Source: core.telegram.org/bots/api#setmessagereaction. */
export const setMessageReaction: Method = ({ world, params }) => {
  const given = params.json("reaction", "reaction types") ?? [];
  if (!Array.isArray(given)) throw badRequest("Expected an Array of ReactionType");
  const emojis = given.map((reaction: unknown) => {
    const { type, emoji } = (reaction ?? {}) as { type?: unknown; emoji?: unknown };
    if (type !== "emoji" && type !== "custom_emoji") throw badRequest("Can't parse ReactionType: invalid reaction type specified");
    return type === "emoji" && typeof emoji === "string" ? emoji : "";
  });
  const chat = findChat(world, params);
  const refusal = world.chats.sendRefusal(chat.id, "text messages");
  if (refusal?.code === 403) throw refusal;
  const messageId = params.integer("message_id", 0);
  if (world.messages.find(chat.id, messageId) === undefined) throw badRequest("message to react not found");
  if (emojis.length > 1) throw badRequest("REACTIONS_TOO_MANY");
  const place = `${chat.id}/${messageId}`;
  const [emoji] = emojis;
  if (emoji === undefined) {
    // Taking back what is not there is refused. Field report of 2026.
    if (!world.reactions.delete(place)) throw badRequest("REACTION_EMPTY");
  } else {
    if (!EMOJI.has(emoji)) throw badRequest("REACTION_INVALID");
    world.reactions.set(place, emoji);
    dropOldest(world.reactions, LOG_LIMIT);
  }
  world.audit.recordSeen({ kind: "reaction", chatId: chat.id, messageId, from: "bot", text: emoji ?? "", at: world.clock.now() });
  world.signal.notify();
  return { result: true };
};
