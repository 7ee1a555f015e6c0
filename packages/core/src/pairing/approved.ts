import type { GatewayConfig, Logger, Store } from "@trunkline/plugin-sdk";
import { allAccess, type AccessKey, type AccessRow } from "../store/access.ts";

/**
 * The approved senders in memory, so that a known sender's message costs no statement. There are as many as operators approved by
 * hand. The table is the truth: whoever changes it changes this after the commit.
 */
export interface ApprovedSenders {
  /** Reads the table. Until then nobody is approved. */
  load(): Promise<void>;
  /** Whether a sender, in the channel's canonical form, is approved on the account. */
  has(key: AccessKey): boolean;
  add(row: AccessRow): void;
  remove(key: AccessKey): void;
  /** How many are approved on an account. */
  count(channel: string, account: string): number;
}

/** Creates the memory of a gateway's approved senders. */
export function createApprovedSenders(store: Store): ApprovedSenders {
  const accounts = new Map<string, Set<string>>();
  const of = (channel: string, account: string): Set<string> | undefined => accounts.get(`${channel}:${account}`);
  const add = ({ channel, account, sender }: AccessKey): void => {
    accounts.set(`${channel}:${account}`, (of(channel, account) ?? new Set()).add(sender));
  };
  return {
    async load() {
      const rows = await store.read((tx) => allAccess(tx));
      accounts.clear();
      for (const row of rows) add(row);
    },
    has: ({ channel, account, sender }) => of(channel, account)?.has(sender) ?? false,
    add,
    remove: ({ channel, account, sender }) => void of(channel, account)?.delete(sender),
    count: (channel, account) => of(channel, account)?.size ?? 0,
  };
}

/** Says at the start where approvals let nobody in, because the account no longer pairs: they are kept, not merged into its list. */
export function reportIgnoredApprovals(config: GatewayConfig, approved: ApprovedSenders, logger: Logger): void {
  for (const [channel, { accounts }] of Object.entries(config.channels)) {
    for (const [account, { dmPolicy }] of Object.entries(accounts)) {
      const count = approved.count(channel, account);
      if (dmPolicy === "pairing" || count === 0) continue;
      logger.warn({ channel, account, count, dmPolicy }, "people who were approved by pairing are ignored: dmPolicy is not pairing");
    }
  }
}
