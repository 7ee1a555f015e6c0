import type { ConversationRef, OutboundPart } from "@trunkline/plugin-sdk";
import { roomName } from "./hub.ts";

/** Parts that are remembered. */
const KEEP = 100;

/**
 * The parts that were sent last and have something to fetch or to press. A receipt reaches the store a moment after the tabs were shown
 * the part, and a browser asks for a picture at once.
 */
export interface SentParts {
  note(part: OutboundPart): void;
  find(conversation: ConversationRef, key: string): OutboundPart | undefined;
}

/** Creates the memory of sent parts. */
export function createSentParts(): SentParts {
  const parts = new Map<string, OutboundPart>();
  return {
    note(part) {
      const [oldest] = parts.keys();
      if (oldest !== undefined && parts.size >= KEEP) parts.delete(oldest);
      parts.set(part.key, part);
    },
    find(conversation, key) {
      const part = parts.get(key);
      return part !== undefined && roomName(part.conversation) === roomName(conversation) ? part : undefined;
    },
  };
}
