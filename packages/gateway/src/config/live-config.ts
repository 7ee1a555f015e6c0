import type { ConfigSnapshot, ConfigSource } from "@trunkline/plugin-sdk";

/** The running configuration, replaceable as a whole. */
export interface LiveConfig extends ConfigSource {
  replace(snapshot: ConfigSnapshot): void;
}

/** Creates it. `current` is on the way of every message, so it is no more than the reading of a variable. */
export function createLiveConfig(first: ConfigSnapshot): LiveConfig {
  let snapshot = first;
  return {
    current: () => snapshot,
    replace(next) {
      snapshot = next;
    },
  };
}
