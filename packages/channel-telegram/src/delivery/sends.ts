import type { Receipt } from "@trunkline/plugin-sdk";
import { followAbort } from "../api/follow-abort.ts";

/** Sends that the memory of one account holds at most. */
const REMEMBERED = 2000;

/** What is being sent, and what was: for an orderly end, and for telling a lost message from our others. */
export interface Sends {
  /** Runs one send. Its signal aborts with the caller's, or when `end` lost patience. */
  run(chatId: string, signal: AbortSignal, send: (signal: AbortSignal) => Promise<Receipt>): Promise<Receipt>;
  /** Whether a message of this chat is one that was sent or found for another part. */
  isKnown(chatId: string, messageId: number): boolean;
  /** Remembers a message that a search found. */
  remember(chatId: string, messageId: string): void;
  /** Resolves when nothing is on its way to this chat. */
  quiet(chatId: string): Promise<void>;
  /** Resolves when nothing is on its way at all; after `patience` resolves, whatever is left is cut. */
  end(patience: Promise<void>): Promise<void>;
}

/** Creates the memory of an account's sends. */
export function createSends(): Sends {
  const running = new Map<AbortController, { readonly chatId: string; readonly done: Promise<unknown> }>();
  const known = new Set<string>();
  const remember = (chatId: string, messageId: string): void => {
    known.add(`${chatId}/${messageId}`);
    if (known.size > REMEMBERED) for (const oldest of known) return void known.delete(oldest);
  };
  const settled = (chatId?: string): Promise<unknown> =>
    Promise.allSettled([...running.values()].filter((send) => chatId === undefined || send.chatId === chatId).map(({ done }) => done));
  return {
    async run(chatId, signal, send) {
      const { controller, release } = followAbort(signal);
      const done = send(controller.signal);
      running.set(controller, { chatId, done });
      try {
        const receipt = await done;
        remember(chatId, receipt.messageId);
        return receipt;
      } finally {
        running.delete(controller);
        release();
      }
    },
    isKnown: (chatId, messageId) => known.has(`${chatId}/${messageId}`),
    remember,
    async quiet(chatId) {
      await settled(chatId);
    },
    async end(patience) {
      await Promise.race([settled(), patience]);
      for (const controller of running.keys()) controller.abort();
      await settled();
    },
  };
}
