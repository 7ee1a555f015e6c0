import type { ChannelPlugin } from "@trunkline/plugin-sdk";

const PREFIX = /^(?:telegram|tg):/i;

/** Allow lists hold numeric ids: a person's, or the negative chat id of those who write as their group or channel. */
export const telegramAccess: NonNullable<ChannelPlugin["access"]> = {
  normalizeId: (id) => id.trim().replace(PREFIX, ""),
  refuseEntry(entry) {
    const id = entry.trim().replace(PREFIX, "");
    if (id === "*" || /^-?[1-9]\d{0,15}$/.test(id)) return undefined;
    const how = "Use the numeric id: let the person write to the bot, then `trunkline explain last` shows it.";
    if (id.startsWith("@")) return `Telegram names change hands, so ${id} may be somebody else tomorrow. ${how}`;
    return `This is not a Telegram id. ${how}`;
  },
};
