import type { ReconcileEvidence } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { PROBE_LIMIT, type ProbeAnswer, probeForPart, sharedCountCandidates, toProbeAnswer } from "./probe.ts";

const refused = (code: number, description: string) => toProbeAnswer({ kind: "refused", code, description });

/** Runs a search over a chat that is given as id -> who wrote it; everything else is absent. */
async function search(
  chat: Readonly<Record<number, ProbeAnswer>>,
  {
    chatId = "-1001234567890",
    topics = false,
    others = [] as number[],
    ...evidence
  }: Partial<ReconcileEvidence> & { chatId?: string; topics?: boolean; others?: number[] },
) {
  const asked: number[] = [];
  const result = await probeForPart({
    chatId,
    topics,
    evidence: { newestSeenIds: [], ...evidence },
    ask: async (id) => {
      asked.push(id);
      return chat[id] ?? "absent";
    },
    isOther: async (id) => others.includes(id),
  });
  return { result, asked };
}

describe("the answer to a probing edit", () => {
  it("tells ours, somebody else's and nothing apart", () => {
    expect(refused(400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same")).toBe(
      "ours",
    );
    expect(refused(400, "Bad Request: message can't be edited")).toBe("theirs");
    expect(refused(400, "Bad Request: message to edit not found")).toBe("absent");
    expect(toProbeAnswer(undefined)).toBe("theirs");
  });

  it("says nothing of the message when it is about something else", () => {
    expect(refused(429, "Too Many Requests: retry after 3")).toBeUndefined();
    expect(refused(403, "Forbidden: bot was kicked")).toBeUndefined();
    expect(refused(400, "Bad Request: chat not found")).toBeUndefined();
    expect(toProbeAnswer({ kind: "lost", reason: "timeout" })).toBeUndefined();
  });
});

describe("a search in a supergroup", () => {
  it("finds the part among the next messages", async () => {
    expect(await search({ 11: "theirs", 12: "ours" }, { lastKnownId: "10" })).toEqual({
      result: { outcome: "sent", receipt: { messageId: "12" } },
      asked: [11, 12],
    });
  });

  it("ends when several ids in a row are missing: the part never arrived", async () => {
    const { result, asked } = await search({ 11: "theirs", 13: "theirs" }, { lastKnownId: "10" });
    expect(result).toEqual({ outcome: "absent" });
    expect(asked.at(-1)).toBe(18);
  });

  it("passes over holes that deleted messages left", async () => {
    expect((await search({ 15: "ours" }, { lastKnownId: "10" })).result).toEqual({ outcome: "sent", receipt: { messageId: "15" } });
  });

  it("is undecided when the chat goes on and on, or nothing is known of it", async () => {
    const busy = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [11 + index, "theirs" as const]));
    const { result, asked } = await search(busy, { lastKnownId: "10" });
    expect(result.outcome).toBe("undecided");
    expect(asked).toHaveLength(PROBE_LIMIT);
    expect((await search({}, {})).result.outcome).toBe("undecided");
  });

  it("does not take another part of ours for it", async () => {
    expect((await search({ 11: "ours", 12: "ours" }, { lastKnownId: "10", others: [11] })).result).toMatchObject({
      receipt: { messageId: "12" },
    });
    expect((await search({ 11: "ours" }, { lastKnownId: "10", others: [11] })).result).toEqual({ outcome: "absent" });
  });

  it("is undecided about a message that may be the answer in another topic", async () => {
    expect((await search({ 11: "ours" }, { lastKnownId: "10", newestSeenIds: ["11"], topics: true })).result.outcome).toBe("undecided");
    expect((await search({ 11: "ours", 12: "ours" }, { lastKnownId: "10", newestSeenIds: ["11"], topics: true })).result).toMatchObject({
      receipt: { messageId: "12" },
    });
    expect((await search({ 11: "ours" }, { lastKnownId: "10", newestSeenIds: ["11"] })).result).toMatchObject({
      receipt: { messageId: "11" },
    });
  });
});

describe("a search in a private chat", () => {
  const chatId = "42";

  it("asks about the next id first, and finds it there in a quiet bot", async () => {
    expect(await search({ 11: "ours" }, { chatId, lastKnownId: "10", newestSeenIds: ["10"] })).toMatchObject({
      result: { outcome: "sent" },
      asked: [11],
    });
  });

  it("finds it near the newest id of a busy bot within a few calls", async () => {
    const { result, asked } = await search(
      { 498: "ours" },
      { chatId, lastKnownId: "10", newestSeenIds: ["500", "499", "497", "496", "495"] },
    );
    expect(result).toEqual({ outcome: "sent", receipt: { messageId: "498" } });
    expect(asked.length).toBeLessThan(10);
  });

  it("never says absent: the ids of other chats are missing here as well", async () => {
    const { result, asked } = await search({}, { chatId, lastKnownId: "10", newestSeenIds: ["12", "10"] });
    expect(result.outcome).toBe("undecided");
    expect([...asked].sort((a, b) => a - b)).toEqual([11, 12, 13, 14, 15, 16, 17]);
  });

  it("asks about ids that are other messages last, and about none twice", () => {
    const candidates = sharedCountCandidates({ lastKnownId: "10", newestSeenIds: ["13", "12"] });
    expect(candidates).toEqual([14, 11, 15, 16, 17, 18, 13, 12]);
  });

  it("asks about fifty at most, however busy the bot", () => {
    const newestSeenIds = Array.from({ length: 60 }, (_, index) => String(100_000 - index * 7));
    const candidates = sharedCountCandidates({ lastKnownId: "10", newestSeenIds });
    expect(candidates).toHaveLength(PROBE_LIMIT);
    expect(new Set(candidates).size).toBe(PROBE_LIMIT);
    expect(Math.min(...candidates)).toBeGreaterThan(10);
  });

  it("asks nothing when nothing is known", () => {
    expect(sharedCountCandidates({ newestSeenIds: [] })).toEqual([]);
    expect(sharedCountCandidates({ newestSeenIds: ["x", "-5"] })).toEqual([]);
  });
});
