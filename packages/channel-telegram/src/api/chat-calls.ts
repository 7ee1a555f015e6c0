import type { Logger } from "@trunkline/plugin-sdk";
import type { ApiRequest, TelegramApi } from "./api.ts";
import { readFailure } from "./errors.ts";
import { redirect } from "../outbound.ts";

/** Basic groups whose new id is remembered at most. */
const REMEMBERED = 500;

/** One call into a chat. Rejects with what grammY throws. */
export type ChatCall = (chatId: string, request: ApiRequest, signal: AbortSignal) => Promise<unknown>;

/**
 * Creates calls that follow a basic group to the supergroup it became: the platform refuses the old id, names the new one, and nothing
 * was done, so the call is repeated there once. Source: core.telegram.org/bots/api#responseparameters.
 */
export function createChatCalls(connect: () => Promise<TelegramApi>, token: string, logger: Logger): ChatCall {
  const moved = new Map<string, string>();
  const follow = (from: string, to: string): void => {
    logger.warn({ from, to }, "a Telegram group became a supergroup: write its new id wherever the configuration names the old one");
    moved.set(from, to);
    if (moved.size > REMEMBERED) for (const oldest of moved.keys()) return void moved.delete(oldest);
  };
  return async (chatId, request, signal) => {
    const api = await connect();
    const known = moved.get(chatId);
    try {
      return await api.call(known === undefined ? request : redirect(request, known), signal);
    } catch (error) {
      const failure = readFailure(error, token);
      const target = failure.kind === "refused" ? failure.migratedTo : undefined;
      if (target === undefined || target === known) throw error;
      follow(chatId, target);
      return api.call(redirect(request, target), signal);
    }
  };
}
