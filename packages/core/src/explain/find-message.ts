import {
  type ChannelPlugin,
  conversationKey,
  decodeKeyPart,
  encodeKeyPart,
  GatewayError,
  type InboundMessage,
  type MessageLink,
  type Store,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { findInboundById, findInboundByPlatformId, findInboundInChannel, type InboxRow, lastInbound } from "../store/inbox.ts";
import { findMessage, findMessagesInChannel, type MessageRow } from "../store/messages.ts";
import { findPart } from "../store/outbox.ts";

/** The channels whose links are understood. */
export type Channels = Iterable<Pick<ChannelPlugin, "id" | "conversation">>;

/**
 * The accepted message that a person means: an internal id (`in_...`, also of its turn `tn_...` or of a part of its answer `ob_...`), `last`,
 * `channel:account:conversation/platformId`, or a link of its platform. The platform's id of an answer stands for what was answered.
 * GATEWAY_NOT_FOUND when nothing is known about it, GATEWAY_USAGE when several accounts know it.
 */
export async function findMessageFor(reference: string, store: Store, channels: Channels): Promise<InboxRow> {
  const row = await store.read(async (tx) => {
    if (reference === "last") return lastInbound(tx);
    if (/^(in|tn)_/.test(reference)) return findInboundById(tx, reference.replace(/^tn_/, "in_"));
    if (reference.startsWith("ob_")) return answeredBy(tx, reference);
    for (const { id, conversation } of channels) {
      const link = conversation.parseLink?.(reference);
      if (link) return findByLink(tx, id, link);
    }
    const place = parsePlatformReference(reference);
    return place && findInPlace(tx, place);
  });
  if (!row) throw new GatewayError("GATEWAY_NOT_FOUND", { detail: { id: reference.slice(0, 200) } });
  return row;
}

interface Place {
  readonly channel: string;
  readonly account: string;
  readonly conversation: string;
  readonly platformId: string;
}

async function findInPlace(tx: StoreTx, place: Place): Promise<InboxRow | undefined> {
  const found = newestOf(await findInboundByPlatformId(tx, place));
  if (found) return found;
  const conv = conversationKey({ channel: place.channel, account: place.account, kind: "direct", id: place.conversation });
  const own = await findMessage(tx, { conv, platformId: place.platformId });
  return own && answeredIn(tx, own);
}

/** What a message of ours answers. */
async function answeredIn(tx: StoreTx, { direction, ref }: MessageRow): Promise<InboxRow | undefined> {
  return direction === "out" && ref !== null ? answeredBy(tx, ref) : undefined;
}

/** The message that a part answers. */
async function answeredBy(tx: StoreTx, partId: string): Promise<InboxRow | undefined> {
  const part = await findPart(tx, partId);
  return part?.turn ? findInboundById(tx, part.turn.replace(/^tn_/, "in_")) : undefined;
}

async function findByLink(tx: StoreTx, channel: string, { messageId, conversation }: MessageLink): Promise<InboxRow | undefined> {
  const args = { channel, platformId: messageId };
  const known = await findInboundInChannel(tx, args);
  // Nobody wrote it to us: then it may be an answer.
  if (!known.some((row) => isMeant(row, conversation))) {
    for (const message of await findMessagesInChannel(tx, args)) {
      const answered = await answeredIn(tx, message);
      if (answered) known.push(answered);
    }
  }
  const events = known.filter((row) => isMeant(row, conversation));
  const accounts = [...new Set(events.map(({ account }) => account))];
  if (accounts.length > 1) {
    const forms = accounts.map((account) => `${channel}:${account}:${encodeKeyPart(events[0]!.conversation)}/${messageId}`);
    throw new GatewayError("GATEWAY_USAGE", { detail: { reason: `several accounts know this message; write ${forms.join(" or ")}` } });
  }
  return newestOf(events);
}

function isMeant(row: InboxRow, meant: MessageLink["conversation"]): boolean {
  if ("id" in meant) return row.conversation === meant.id;
  const message = JSON.parse(row.bodyJson ?? "null") as InboundMessage | null; // written by `judgedRow`
  return message?.labels?.handle === meant.handle;
}

/** The message itself rather than its edits; the newest, since another bot that had the account before may have numbered one the same. */
function newestOf(events: readonly InboxRow[]): InboxRow | undefined {
  return events.findLast(({ kind }) => kind === "message") ?? events[0];
}

/** `channel:account:conversation/platformId`; colons inside a part are written %3A. */
function parsePlatformReference(reference: string): Place | undefined {
  const slash = reference.lastIndexOf("/");
  const [channel, account, ...rest] = reference.slice(0, slash).split(":");
  if (slash < 0 || !channel || !account || rest.length === 0) return undefined;
  return { channel, account, conversation: decodeKeyPart(rest.join(":")), platformId: reference.slice(slash + 1) };
}
