import { CHANNELS, type ChannelPlugin, defineChannel, definePlugin, NO_OWN_KEYS, type Plugin } from "@trunkline/plugin-sdk";
import { slackConversation } from "./conversation.ts";
import { slackProfile } from "./render.ts";

/** Slack: how answers look there and how its conversations are named. It has no transport yet, so no account of it can be configured. */
export const slackChannel: ChannelPlugin<Readonly<Record<string, never>>> = defineChannel({
  id: "slack",
  label: "Slack",
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
  render: () => slackProfile,
  conversation: slackConversation,
});

const plugin: Plugin = definePlugin({
  name: "channel-slack",
  version: "0.1.0",
  register: (context) => context.contribute(CHANNELS, slackChannel),
});

export default plugin;
