import type { ConversationRef, InboundMessage } from "@trunkline/plugin-sdk";

/** 2026-01-01T00:00:00Z: what a virtual clock shows at first. */
export const NEW_YEAR = Date.UTC(2026, 0, 1);

export const DIRECT: ConversationRef = { channel: "fake", account: "main", kind: "direct", id: "ann" };
export const GROUP: ConversationRef = { channel: "fake", account: "main", kind: "group", id: "team" };

let count = 0;

/** A message of Ann's in her direct conversation, but for what is given. For tests only. */
export function fakeMessage(over: Partial<InboundMessage> = {}): InboundMessage {
  count += 1;
  return {
    kind: "message",
    id: `p${count}`,
    conversation: DIRECT,
    sender: { id: "ann", name: "Ann", isBot: false, isSelf: false },
    text: "hello",
    media: [],
    mentions: { bot: false, others: [] },
    sentAt: NEW_YEAR,
    ...over,
  };
}

/** A message of Ann's in the group `team`. */
export function fakeGroupMessage(over: Partial<InboundMessage> = {}): InboundMessage {
  return fakeMessage({ conversation: GROUP, ...over });
}
