import type { ChannelPlugin } from "@trunkline/plugin-sdk";

const WEB = "web";

/** Model providers that need no entry in the configuration. */
export const BUILT_IN_PROVIDERS: readonly string[] = ["demo"];

/** The channels of a configuration that names none: the web chat, which needs no account anywhere. */
export function builtInChannels(channels: readonly ChannelPlugin[]): Readonly<Record<string, unknown>> {
  return channels.some((channel) => channel.id === WEB) ? { [WEB]: { accounts: { main: {} } } } : {};
}

/** The configuration without a file: the web chat and one agent that shows what Trunkline can do, without key or network. */
export function builtInConfig(channels: readonly ChannelPlugin[]): Readonly<Record<string, unknown>> {
  return {
    version: 1,
    channels: builtInChannels(channels),
    agents: {
      list: [
        {
          id: "guide",
          identity: { name: "Guide" },
          instructions:
            "You are Guide, the demonstration agent of Trunkline. Show people what the gateway can do, and say plainly that you are scripted.",
          model: { primary: "demo/guide" },
        },
      ],
    },
  };
}
