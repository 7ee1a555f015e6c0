import type { ChannelActions } from "@trunkline/plugin-sdk";
import { telegramConversation } from "./conversation.ts";

/** Actions of the `message` tool, or of this channel's own, that put a message into a chat. */
const SENDING = new Set<unknown>([undefined, "send", "sendMessage", "thread-reply"]);
const TARGET_KEYS = ["to", "target", "chatId", "chat_id"] as const;
const THREAD_KEYS = ["threadId", "messageThreadId", "message_thread_id"] as const;

/** What tools may do on Telegram beyond replying. */
export const telegramActions: ChannelActions = {
  extractToolSend({ args }) {
    try {
      return findToolSend(args);
    } catch {
      // Arguments are the model's: a proxy or a getter that throws is as good as no target.
      return undefined;
    }
  },
};

function findToolSend(args: unknown): { readonly to: string; readonly threadId?: string } | undefined {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  const values = args as Readonly<Record<string, unknown>>;
  const target = SENDING.has(values["action"]) ? firstId(values, TARGET_KEYS) : undefined;
  if (target === undefined) return undefined;
  // What cannot be resolved is compared as it was written: it equals no conversation, so nothing is suppressed because of it.
  const resolved = telegramConversation.normalizeTarget(target);
  const to = resolved.ok ? resolved.id.id : target;
  const threadId = firstId(values, THREAD_KEYS) ?? (resolved.ok ? resolved.id.threadId : undefined);
  return threadId === undefined ? { to } : { to, threadId };
}

function firstId(values: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = values[key];
    if (typeof value === "string" && value.trim() !== "") return value.trim();
    if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  }
  return undefined;
}
