import { CHANNELS, type ChannelPlugin, defineChannel, definePlugin, NO_OWN_KEYS, type Plugin } from "@trunkline/plugin-sdk";
import { whatsappConversation } from "./conversation.ts";
import { whatsappProfile } from "./render.ts";

/** WhatsApp: how answers look there and how its conversations are named. It has no transport yet, so no account of it can be configured. */
export const whatsappChannel: ChannelPlugin<Readonly<Record<string, never>>> = defineChannel({
  id: "whatsapp",
  label: "WhatsApp",
  // What the channel can do now. A transport brings its own.
  capabilities: {
    chatKinds: ["direct", "group"],
    media: [],
    threads: false,
    reactions: false,
    edit: false,
    typing: false,
    preview: "none",
    buttons: false,
    nativeCommands: false,
    delivery: "at-least-once",
  },
  configSchema: NO_OWN_KEYS,
  secretKeys: [],
  render: () => whatsappProfile,
  conversation: whatsappConversation,
});

const plugin: Plugin = definePlugin({
  name: "channel-whatsapp",
  version: "0.1.0",
  register: (context) => context.contribute(CHANNELS, whatsappChannel),
});

export default plugin;
