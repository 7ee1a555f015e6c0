import type { Session } from "./sessions.ts";

/** A session in which nothing was said and nothing chosen yet. For tests only. */
export function fakeSession(over: Partial<Session> = {}): Session {
  return { key: "k", agent: "aria", startedN: 1, nextN: 1, createdAt: 0, startedAt: 0, settings: {}, history: [], ...over };
}
