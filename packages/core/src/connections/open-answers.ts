import type { Store } from "@trunkline/plugin-sdk";
import type { InboxRow } from "../store/inbox.ts";
import { openPartConversations } from "../store/outbox.ts";

/** Which accounts have an answer on its way: a turn that runs, or a part that is not settled. */
export interface OpenAnswers {
  /** Runs a turn and counts it for the account of its message meanwhile. */
  during(row: Pick<InboxRow, "channel" | "account">, turn: Promise<void>): Promise<void>;
  isBusy(channel: string, account: string): Promise<boolean>;
}

/** Creates the count. It holds one number for each account with a running turn. */
export function createOpenAnswers(store: Store): OpenAnswers {
  const running = new Map<string, number>();
  const count = (key: string, by: number): void => {
    const now = (running.get(key) ?? 0) + by;
    if (now > 0) running.set(key, now);
    else running.delete(key);
  };
  return {
    async during({ channel, account }, turn) {
      count(`${channel}:${account}`, 1);
      try {
        await turn;
      } finally {
        count(`${channel}:${account}`, -1);
      }
    },
    async isBusy(channel, account) {
      if (running.has(`${channel}:${account}`)) return true;
      const prefix = `${channel}:${account}:`;
      return (await store.read((tx) => openPartConversations(tx))).some((conv) => conv.startsWith(prefix));
    },
  };
}
