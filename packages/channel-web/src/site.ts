import { randomBytes } from "node:crypto";
import type { ChannelHost, ConversationRef, HttpIdentity, OutboundPart } from "@trunkline/plugin-sdk";
import { type ConversationLists, createConversationLists } from "./conversation-list.ts";
import { visitorConversation } from "./conversation.ts";
import type { Hub } from "./hub.ts";
import { createMarks, type Marks } from "./marks.ts";
import { createRate, type Rate } from "./rate.ts";
import { createSentParts, type SentParts } from "./sent-parts.ts";

/** What one visitor may do in a minute. */
const PER_MINUTE = { messages: 120, uploads: 60, changes: 240 };

/** What the requests of one account work with. */
export interface WebSite {
  readonly host: ChannelHost;
  readonly hub: Hub;
  readonly lists: ConversationLists;
  readonly marks: Marks;
  readonly parts: SentParts;
  readonly rates: { readonly [kind in keyof typeof PER_MINUTE]: Rate };
  /** Signs the tickets of uploads. Secret; kept with the account, so that a ticket outlives a restart. */
  readonly ticketKey: string;
}

/** Puts a site together: reads or makes its key. */
export async function openSite(host: ChannelHost, hub: Hub): Promise<WebSite> {
  return {
    host,
    hub,
    lists: createConversationLists(host.memory),
    marks: createMarks(host.memory),
    parts: createSentParts(),
    rates: {
      messages: createRate(host.clock, PER_MINUTE.messages),
      uploads: createRate(host.clock, PER_MINUTE.uploads),
      changes: createRate(host.clock, PER_MINUTE.changes),
    },
    ticketKey: await loadKey(host),
  };
}

async function loadKey({ memory }: ChannelHost): Promise<string> {
  const known = await memory.get("ticket-key");
  if (known !== undefined) return known;
  const made = randomBytes(32).toString("base64url");
  await memory.set("ticket-key", made);
  return made;
}

/** The conversation of the visitor that a request names; undefined for what is none of his. */
export function conversationOf({ host }: WebSite, who: HttpIdentity, name: unknown): ConversationRef | undefined {
  if (name !== undefined && name !== null && typeof name !== "string") return undefined;
  return visitorConversation(host.channel, host.account, who, name);
}

/** A part that was sent into a conversation, found by its key. */
export async function sentPart(site: WebSite, conversation: ConversationRef, key: string): Promise<OutboundPart | undefined> {
  return site.parts.find(conversation, key) ?? (await site.host.message(conversation, key))?.part;
}
