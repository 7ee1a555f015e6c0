import type { ChannelHost, ConversationRef, InboundMessage, ReceiveResult } from "@trunkline/plugin-sdk";
import type { Deps } from "../deps.ts";
import { judgedRow, receipt, shouldSkipDuplicateInbound } from "./accept.ts";
import type { InboundVerdict } from "./decide.ts";

/** Longest raw event that is kept, in characters. */
const RAW_CHARS = 16_000;

/** Keeps an event that its channel could not read: counted, visible in `explain`, and never in the way of what follows. */
export async function acceptUnreadable(
  event: Parameters<ChannelHost["unreadable"]>[0],
  channel: string,
  account: string,
  deps: Deps,
): Promise<ReceiveResult> {
  const conversation: ConversationRef = { channel, account, kind: "direct", id: "unreadable" };
  const now = deps.clock.now();
  const message: InboundMessage = {
    kind: "message",
    id: event.eventId,
    conversation,
    sender: { id: "", isBot: false, isSelf: false },
    text: "",
    media: [],
    mentions: { bot: false, others: [] },
    sentAt: now,
    channelData: { raw: writeRaw(event.raw).slice(0, RAW_CHARS) },
  };
  const verdict: InboundVerdict = {
    disposition: "unreadable",
    sessionKey: null,
    decisions: [{ stage: "channel", code: "unreadable", why: event.why.slice(0, 300) }],
    keepText: true,
    stops: false,
    stranger: false,
  };
  const row = judgedRow(deps.ids.next("in"), message, verdict, deps.config.current(), now);
  const result = await deps.store.write((tx) => shouldSkipDuplicateInbound(tx, row), "durable");
  deps.logger.warn(
    { trace: result.id, channel, account, why: event.why.slice(0, 300) },
    "an event could not be read; it is kept as unreadable",
  );
  return receipt(result);
}

/** The event as text. What JSON cannot write must not keep it from being counted. */
function writeRaw(raw: unknown): string {
  try {
    return JSON.stringify(raw) ?? "null";
  } catch {
    return "(it cannot be written as JSON)";
  }
}
