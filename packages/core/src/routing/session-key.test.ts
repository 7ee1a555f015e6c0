import type { ConversationRef, DmScope } from "@trunkline/plugin-sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatSessionKey, parseSessionKey, sessionKeyOf, type SessionKeyParts } from "./session-key.ts";

const GROUP: ConversationRef = { channel: "fake", account: "main", kind: "group", id: "Team" };

function key(over: Partial<ConversationRef> = {}, dmScope: DmScope = "per-account-channel-peer", caseSensitive = false): string {
  return sessionKeyOf({
    agent: "aria",
    conversation: { channel: "fake", account: "main", kind: "direct", id: "chat", ...over },
    peer: "Ann",
    dmScope,
    caseSensitive,
  });
}

describe("session keys", () => {
  it.each([
    ["per-account-channel-peer", "agent:aria:fake:main:dm:ann"],
    ["per-channel-peer", "agent:aria:fake:dm:ann"],
    ["per-peer", "agent:aria:dm:ann"],
    ["main", "agent:aria:main"],
  ] as const)("with dmScope %s a direct conversation has %s", (dmScope, expected) => {
    expect(key({}, dmScope)).toBe(expected);
  });

  it("names groups and channels by their id, whatever the dmScope", () => {
    expect(key(GROUP, "main")).toBe("agent:aria:fake:main:group:team");
    expect(key({ ...GROUP, kind: "channel" })).toBe("agent:aria:fake:main:channel:team");
  });

  it("adds threads", () => {
    expect(key({ ...GROUP, threadId: "7" })).toBe("agent:aria:fake:main:group:team:thread:7");
    expect(key({ threadId: "7" })).toBe("agent:aria:fake:main:dm:ann:thread:7");
  });

  it("keeps the case of ids where the platform does", () => {
    expect(key({ ...GROUP, threadId: "T" }, "main", true)).toBe("agent:aria:fake:main:group:Team:thread:T");
    expect(key({ ...GROUP, threadId: "T" }, "main")).toBe("agent:aria:fake:main:group:team:thread:t");
  });

  it("escapes what would split the key", () => {
    expect(key({ ...GROUP, id: "a:b%c" })).toBe("agent:aria:fake:main:group:a%3Ab%25c");
  });

  const part = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom("thread", "dm", "group", "channel", "main", "agent", ":", "%", "%3A", "%25", "a:b", ":thread:", "agent:x:main"),
  );
  const kind = fc.constantFrom("dm" as const, "group" as const, "channel" as const);
  const thread = fc.option(part, { nil: undefined });
  const place = fc.oneof(fc.constant({}), fc.record({ channel: part }), fc.record({ channel: part, account: part }));
  const talk = fc
    .record({ agent: part, kind, peer: part, place, thread })
    .map(({ place, thread, ...rest }): SessionKeyParts => ({ ...rest, ...place, ...(thread === undefined ? {} : { thread }) }));
  const parts = fc.oneof(
    talk,
    part.map((agent): SessionKeyParts => ({ agent, kind: "main" })),
  );

  it("come back from text as they were, whatever the ids are", () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(parseSessionKey(formatSessionKey(given))).toEqual(given);
      }),
      { numRuns: 1000 },
    );
  });

  it("differ when any part differs", () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(formatSessionKey(one) === formatSessionKey(other)).toBe(
          JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort()),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    "",
    "agent",
    "agent:",
    "agent:aria",
    "agent::main",
    "agent:aria:other",
    "x:aria:main",
    "agent:a:b:c:d:dm:p",
    "agent:a:dm",
    "agent:a:dm:p:topic:7",
  ])("%j is no key", (text) => {
    expect(parseSessionKey(text)).toBeUndefined();
  });

  it("reading never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void expect(() => parseSessionKey(text)).not.toThrow()));
  });
});
