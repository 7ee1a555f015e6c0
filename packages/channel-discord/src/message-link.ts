import type { MessageLink } from "@trunkline/plugin-sdk";

const LINK =
  /^<?(?:https?|discord):\/\/(?:(?:ptb\.|canary\.|www\.)?discord(?:app)?\.com|-)\/channels\/(?:@me|\d{17,20})\/(\d{17,20})\/(\d{17,20})\/?>?$/i;

/**
 * A link to one message, `https://discord.com/channels/SERVER/CHANNEL/MESSAGE`, with `@me` for the server of a direct conversation. The
 * channel is the thread's own when the message is in one. Source: what “Copy Message Link” gives.
 */
export function parseDiscordLink(link: string): MessageLink | undefined {
  const [, id, messageId] = LINK.exec(link.trim()) ?? [];
  return id === undefined || messageId === undefined ? undefined : { messageId, conversation: { id } };
}
