import type { GatewayConfig, QueueConfig, QueueDrop, QueueMode } from "@trunkline/plugin-sdk";

/** What becomes of messages that wait in a session. */
export interface QueueSettings {
  readonly mode: QueueMode;
  /** Ms of silence before what waits is collected. */
  readonly debounceMs: number;
  readonly cap: number;
  readonly drop: QueueDrop;
  /** Who chose the mode, and the cap: a config path; undefined when /queue did, in the session. */
  readonly path: string | undefined;
  readonly capPath: string | undefined;
}

const DEBOUNCE_MS = 1000;

/** The queue of a session: what was chosen in it, over its agent's, over that of all. Pure. */
export function queueSettingsOf(config: GatewayConfig, agent: string | undefined, chosen: Partial<QueueConfig> = {}): QueueSettings {
  const all = config.messages.queue;
  const index = config.agents.list.findIndex(({ id }) => id === agent);
  const own = config.agents.list[index]?.queue ?? {};
  const { mode, debounceMs = DEBOUNCE_MS, cap, drop = "summarize" } = { ...all, ...own, ...chosen };
  const pathOf = (key: "mode" | "cap"): string | undefined => {
    if (chosen[key] !== undefined) return undefined;
    return own[key] === undefined ? `messages.queue.${key}` : `agents.list.${index}.queue.${key}`;
  };
  return { mode, debounceMs, cap, drop, path: pathOf("mode"), capPath: pathOf("cap") };
}
