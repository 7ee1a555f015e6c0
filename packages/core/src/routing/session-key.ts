import { type ConversationRef, decodeKeyPart, type DmScope, encodeKeyPart } from "@trunkline/plugin-sdk";

/** What a session key says. */
export interface SessionKeyParts {
  readonly agent: string;
  readonly channel?: string;
  readonly account?: string;
  readonly kind: "dm" | "group" | "channel" | "main";
  readonly peer?: string;
  readonly thread?: string;
}

export interface SessionKeyInput {
  readonly agent: string;
  readonly conversation: ConversationRef;
  /** Canonical sender id; the peer of a direct conversation. */
  readonly peer: string;
  readonly dmScope: DmScope;
  readonly caseSensitive: boolean;
}

/**
 * The key of the session that a message belongs to: `agent:<id>:<channel>:<account>:dm:<peer>` and its kin. Parts are
 * percent-encoded for `:` and `%`, and lower-cased on channels whose ids do not differ by case.
 */
export function sessionKeyOf(input: SessionKeyInput): string {
  const { conversation } = input;
  const fold = (part: string): string => (input.caseSensitive ? part : part.toLowerCase());
  const thread = conversation.threadId === undefined ? {} : { thread: fold(conversation.threadId) };
  const place = { agent: input.agent, channel: conversation.channel, account: conversation.account };
  if (conversation.kind !== "direct") {
    return formatSessionKey({ ...place, kind: conversation.kind, peer: fold(conversation.id), ...thread });
  }
  const peer = fold(input.peer);
  if (input.dmScope === "main") return formatSessionKey({ agent: input.agent, kind: "main" });
  if (input.dmScope === "per-peer") return formatSessionKey({ agent: input.agent, kind: "dm", peer });
  if (input.dmScope === "per-channel-peer") {
    return formatSessionKey({ agent: input.agent, channel: conversation.channel, kind: "dm", peer, ...thread });
  }
  return formatSessionKey({ ...place, kind: "dm", peer, ...thread });
}

/** Writes a session key. `parseSessionKey` gives the same parts back. */
export function formatSessionKey(parts: SessionKeyParts): string {
  const words = ["agent", parts.agent];
  if (parts.channel !== undefined) words.push(parts.channel);
  if (parts.account !== undefined) words.push(parts.account);
  words.push(parts.kind);
  if (parts.peer !== undefined) words.push(parts.peer);
  if (parts.thread !== undefined) words.push("thread", parts.thread);
  return words.map(encodeKeyPart).join(":");
}

/** Reads a session key; undefined when it is none. The kind is found by position, so no id can be mistaken for it. */
export function parseSessionKey(key: string): SessionKeyParts | undefined {
  const words = key.split(":").map(decodeKeyPart);
  const [head, agent, ...rest] = words;
  if (head !== "agent" || !agent || rest.length === 0) return undefined;
  if (rest.length === 1) return rest[0] === "main" ? { agent, kind: "main" } : undefined;
  const places = placesBefore(rest);
  if (places === undefined) return undefined;
  const [kind, peer, ...tail] = rest.slice(places);
  if ((kind !== "dm" && kind !== "group" && kind !== "channel") || peer === undefined) return undefined;
  const [channel, account] = rest.slice(0, places);
  const thread = tail.length === 2 && tail[0] === "thread" ? tail[1] : undefined;
  if (tail.length > 0 && thread === undefined) return undefined;
  return {
    agent,
    ...(channel === undefined ? {} : { channel }),
    ...(account === undefined ? {} : { account }),
    kind,
    peer,
    ...(thread === undefined ? {} : { thread }),
  };
}

/** How many words stand before the kind: the total (2 or 4 behind it, with a thread) decides, not what the words are. */
function placesBefore(rest: readonly string[]): number | undefined {
  const withThread = rest.at(-2) === "thread" && rest.length >= 4;
  const places = rest.length - (withThread ? 4 : 2);
  return places >= 0 && places <= 2 ? places : undefined;
}
