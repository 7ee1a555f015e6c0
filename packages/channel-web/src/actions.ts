import type { ChannelActions } from "@trunkline/plugin-sdk";

/** What tool calls do on the web: they send to a visitor's conversation, `{ action?: "send", to }`. */
export const webActions: ChannelActions = {
  extractToolSend({ args }) {
    if (typeof args !== "object" || args === null) return undefined;
    const { action, to } = args as { action?: unknown; to?: unknown };
    if (action !== undefined && action !== "send") return undefined;
    return typeof to === "string" && to.trim() !== "" ? { to: to.trim() } : undefined;
  },
};
