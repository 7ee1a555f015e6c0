/**
 * The ways by which text leaves. All but the drafts are composed behind the last guard (`composeParts`), which is told by which way it stands;
 * a draft is a preview that a channel shows and forgets, and shows only what the same removals leave. A test goes every one of them.
 */
export const EGRESS_PATHS = ["final", "block", "tool", "tool-send", "error", "preview", "draft", "notice"] as const;
export type EgressPath = (typeof EGRESS_PATHS)[number];
