import type { ChannelPlugin, ConfigSource, ConversationRef } from "@trunkline/plugin-sdk";

interface OwnersContext {
  readonly config: ConfigSource;
  readonly channels: ReadonlyMap<string, Pick<ChannelPlugin, "conversation">>;
}

/**
 * Direct conversations with the owners that do not go through the failing account: those on other channels first, then those on
 * another account of its channel. Entries are `channel:account:senderId`; one whose id names no direct conversation is left out.
 */
export function ownersElsewhere(
  owners: readonly string[],
  failing: { readonly channel: string; readonly account: string },
  context: OwnersContext,
): readonly ConversationRef[] {
  const conversations = owners.flatMap((entry) => conversationOf(entry, context) ?? []);
  const otherChannels = conversations.filter(({ channel }) => channel !== failing.channel);
  const otherAccounts = conversations.filter(({ channel, account }) => channel === failing.channel && account !== failing.account);
  return [...otherChannels, ...otherAccounts];
}

function conversationOf(entry: string, { config, channels }: OwnersContext): ConversationRef | undefined {
  const [channel = "", account = "", ...rest] = entry.split(":");
  const target = channels.get(channel)?.conversation.normalizeTarget(rest.join(":"));
  const known = config.current().config.channels[channel]?.accounts[account] !== undefined;
  return known && target?.ok && target.id.kind === "direct" ? { channel, account, ...target.id } : undefined;
}
