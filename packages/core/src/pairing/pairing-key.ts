import type { ChannelPlugin, InboundMessage } from "@trunkline/plugin-sdk";
import type { Notice } from "../delivery/notice.ts";
import type { PairingKey } from "../store/pairings.ts";

/** The sender of a message as pairing knows them: an account of a channel, and an id in the channel's canonical form. */
export function pairingKeyOf(
  { conversation, sender }: Pick<InboundMessage, "conversation" | "sender">,
  { channels }: { readonly channels: ReadonlyMap<string, Pick<ChannelPlugin, "access">> },
): PairingKey {
  const { channel, account } = conversation;
  return { channel, account, sender: channels.get(channel)?.access?.normalizeId(sender.id) ?? sender.id };
}

/** What the key of a code's message is made of: it leads from a request to the conversation that asked. */
export function codeNotice(row: PairingKey & { readonly createdAt: number }): Pick<Notice, "subject" | "at"> {
  return { subject: `pairing:${row.channel}:${row.account}:${row.sender}`, at: row.createdAt };
}
