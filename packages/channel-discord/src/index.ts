import { CHANNELS, type ChannelPlugin, defineChannel, definePlugin, NO_OWN_KEYS, type Plugin } from "@trunkline/plugin-sdk";
import { discordConversation } from "./conversation.ts";
import { discordProfile } from "./render.ts";

/** Discord: how answers look there and how its conversations are named. It has no transport yet, so no account of it can be configured. */
export const discordChannel: ChannelPlugin<Readonly<Record<string, never>>> = defineChannel({
  id: "discord",
  label: "Discord",
  // What the channel can do now. A transport brings its own.
  capabilities: {
    chatKinds: ["direct", "group", "channel"],
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
  render: () => discordProfile,
  conversation: discordConversation,
});

const plugin: Plugin = definePlugin({
  name: "channel-discord",
  version: "0.1.0",
  register: (context) => context.contribute(CHANNELS, discordChannel),
});

export default plugin;
