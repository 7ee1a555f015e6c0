import { CHANNELS, type ConnectingChannel, defineChannel, definePlugin, type Plugin } from "@trunkline/plugin-sdk";
import { z } from "zod";
import { webActions } from "./actions.ts";
import { webConversation } from "./conversation.ts";
import { webProfile } from "./render.ts";
import { createWebTransport } from "./transport.ts";

/** An account of the browser chat has no keys of its own yet. */
export type WebConfig = Record<string, never>;

const webConfigSchema = z.strictObject({});

/** The browser chat that every gateway has. */
export const webChannel: ConnectingChannel<WebConfig> = defineChannel<WebConfig>({
  id: "web",
  label: "Web chat",
  capabilities: {
    chatKinds: ["direct"],
    // Pictures are shown, other files are links; whatever a person uploads comes in as one of these.
    media: ["image", "audio", "voice", "video", "document", "sticker"],
    threads: true,
    reactions: true,
    edit: false,
    typing: true,
    preview: "draft",
    buttons: true,
    nativeCommands: false,
    delivery: "idempotent",
    authenticates: true,
  },
  configSchema: webConfigSchema,
  secretKeys: [],
  render: () => webProfile,
  conversation: webConversation,
  actions: webActions,
  connect: (_config, host) => createWebTransport(host),
});

/** The plugin that contributes the browser chat. */
const plugin: Plugin = definePlugin({
  name: "channel-web",
  version: "0.1.0",
  register: (context) => context.contribute(CHANNELS, webChannel),
});
export default plugin;
