import { conversationKey, type InboundMessage, type Store } from "@trunkline/plugin-sdk";
import { findMessage } from "../store/messages.ts";

/** Whether the platform says, or the message index knows, that a reaction is to a message of ours. */
export async function isOurs({ anchor, conversation }: InboundMessage, { store }: { readonly store: Store }): Promise<boolean> {
  if (anchor?.senderIsSelf !== undefined) return anchor.senderIsSelf;
  const platformId = anchor?.messageId;
  if (platformId === undefined) return false;
  return (await store.read((tx) => findMessage(tx, { conv: conversationKey(conversation), platformId })))?.direction === "out";
}
