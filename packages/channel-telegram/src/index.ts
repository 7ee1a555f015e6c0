import { CHANNELS, type ConnectingChannel, defineChannel, definePlugin, type Plugin } from "@trunkline/plugin-sdk";
import { telegramAccess } from "./access.ts";
import { telegramActions } from "./actions.ts";
import { botNumberOf, type TelegramConfig, telegramConfigSchema } from "./config.ts";
import { telegramConversation } from "./conversation.ts";
import { telegramFragments } from "./intake/fragments.ts";
import { stripBotMention } from "./intake/mentions.ts";
import { telegramProfileOf } from "./render.ts";
import { createTelegramTransport } from "./transport.ts";

/** Telegram, by the Bot API. */
export const telegramChannel: ConnectingChannel<TelegramConfig> = defineChannel({
  id: "telegram",
  label: "Telegram",
  capabilities: {
    chatKinds: ["direct", "group"],
    media: ["image", "document", "voice", "audio", "video", "sticker"],
    threads: true,
    reactions: false,
    edit: true,
    typing: true,
    preview: "edit",
    buttons: false,
    nativeCommands: false,
    delivery: "reconcilable",
  },
  configSchema: telegramConfigSchema,
  secretKeys: ["token"],
  identity: botNumberOf,
  render: (config) => telegramProfileOf(config),
  conversation: telegramConversation,
  actions: telegramActions,
  access: telegramAccess,
  mentions: { strip: stripBotMention },
  fragments: telegramFragments,
  connect: createTelegramTransport,
});

const plugin: Plugin = definePlugin({
  name: "channel-telegram",
  version: "0.1.0",
  register: (context) => context.contribute(CHANNELS, telegramChannel),
});

export default plugin;
