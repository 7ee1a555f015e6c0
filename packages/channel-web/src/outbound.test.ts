import type { HistoryEntry } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { partOf } from "../test-support/rig.ts";
import { mergeHistory, outboundWire } from "./outbound.ts";

const sent = (key: string, at: number, text = key): HistoryEntry => ({ direction: "out", id: key, key, at, part: partOf(key, text) });
const merged = (history: HistoryEntry[], recent: Parameters<typeof mergeHistory>[1], bytes = 1000) =>
  mergeHistory(history, recent, bytes).map(({ id }) => id);

describe("the history of a conversation", () => {
  it("has each message once, in the order in which it was said, wherever it came from", () => {
    const recent = ["b", "c", "d", "e"].map((key) => outboundWire(partOf(key, key), 20));
    expect(merged([sent("a", 20), sent("b", 20), sent("d", 20)], recent)).toEqual(["a", "b", "c", "d", "e"]);
    expect(merged([sent("a", 20), sent("c", 20)], recent)).toEqual(["a", "b", "c", "d", "e"]);
    expect(merged([sent("a", 10)], recent)).toEqual(["a", "b", "c", "d", "e"]);
    expect(merged([], recent)).toEqual(["b", "c", "d", "e"]);
  });

  it("does not reach back further than the store was asked, nor beyond a hundred messages", () => {
    const recent = Array.from({ length: 150 }, (_, n) => outboundWire(partOf(`k${n}`, "x"), n));
    expect(merged([sent("k148", 148), sent("k149", 149)], recent)).toEqual(["k148", "k149"]);
    expect(merged([], recent)).toEqual(recent.slice(50).map(({ id }) => id));
  });

  it("leaves the oldest out when it is too much, and never the newest", () => {
    const long = "x".repeat(200);
    expect(merged([sent("a", 1, long), sent("b", 2, long), sent("c", 3, long)], [], 900)).toEqual(["b", "c"]);
    expect(merged([sent("a", 1, long), sent("b", 2, long)], [], 10)).toEqual(["b"]);
    expect(merged([], [])).toEqual([]);
  });

  it("leaves out entries of which nothing is kept", () => {
    expect(
      merged(
        [
          { direction: "in", id: "x", at: 1 },
          { direction: "out", id: "y", at: 2 },
        ],
        [],
      ),
    ).toEqual([]);
  });
});
