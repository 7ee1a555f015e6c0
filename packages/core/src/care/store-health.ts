import { type Durability, type GatewayError, isGatewayError, type Store, type StoreTx } from "@trunkline/plugin-sdk";
import type { OpenedStore } from "../store/gateway-store.ts";
import { withRestoreAdvice } from "../store/backups.ts";

/** Errors that say something about the store, and not about one unit. */
const OF_THE_STORE = ["STORE_FULL", "STORE_UNAVAILABLE", "STORE_CORRUPT"] as const;

/** A store that may say by itself that it waits for its database. */
export type WatchedStore = Store & Partial<Pick<OpenedStore, "trouble">>;

/** A store, and what its last writes and reads say about it. */
export interface StoreHealth {
  /** The same store; what runs through it is listened to. */
  readonly store: Store;
  /** Why the store takes nothing; undefined while it does. A damaged database stays damaged until the next start. */
  failure(): GatewayError | undefined;
}

/**
 * Listens to a store. A refused write is a failure until the next one that is committed; a damaged page is one for good, also when it
 * was met while reading: what lies around it may be damaged, too.
 */
export function watchStoreHealth(store: WatchedStore): StoreHealth {
  let failure: GatewayError | undefined;
  const fail = (error: unknown): void => {
    if (!isGatewayError(error, ...OF_THE_STORE) || failure?.code === "STORE_CORRUPT") return;
    failure = error;
    if (error.code === "STORE_CORRUPT") void withRestoreAdvice(error).then((advised) => (failure = advised));
  };
  const watched: Store = {
    dialect: store.dialect,
    async write<T>(unit: (tx: StoreTx) => Promise<T>, durability: Durability): Promise<T> {
      try {
        const value = await store.write(unit, durability);
        if (failure !== undefined && failure.code !== "STORE_CORRUPT") failure = undefined;
        return value;
      } catch (error) {
        fail(error);
        throw error;
      }
    },
    async read(query) {
      try {
        return await store.read(query);
      } catch (error) {
        fail(error);
        throw error;
      }
    },
    stats: () => store.stats(),
    close: () => store.close(),
  };
  return { store: watched, failure: () => store.trouble?.() ?? failure };
}
