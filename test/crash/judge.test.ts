import { describe, expect, it } from "vitest";
import { judgeAnswers } from "./matrix/judge.ts";
import { judgeTool } from "./matrix/judge-tool.ts";

const NONE = { resent: 0, held: 0 };
const expected = [["one"], ["two", "2"]];

describe("the judge of what people see", () => {
  it("is content with every answer once, in order, in any of its allowed words", () => {
    expect(judgeAnswers({ expected, seen: ["one", "2"], undecided: NONE })).toEqual({ problems: [], doubled: 0, missing: 0 });
  });

  it.each([
    ["an answer twice", ["one", "one", "two"], NONE, /seen twice/],
    ["two doubles where one was undecided", ["one", "one", "two", "two"], { resent: 1, held: 0 }, /seen twice/],
    ["two doubles, however many were undecided", ["one", "one", "two", "two"], { resent: 2, held: 0 }, /seen twice/],
    ["a missing answer", ["one"], NONE, /missing/],
    ["a missing answer that was not put aside", ["one"], { resent: 1, held: 0 }, /missing/],
    ["another order", ["two", "one"], NONE, /out of order/],
    ["an answer in two versions", ["one", "two", "2"], NONE, /two versions/],
    ["words that nobody expected", ["one", "two", "three"], NONE, /nobody expected \["three"\]/],
  ])("is not with %s", (_what, seen, undecided, problem) => {
    expect(judgeAnswers({ expected, seen, undecided }).problems.join("; ")).toMatch(problem);
  });

  it("lets the beginning of a stopped answer stay or not, once", () => {
    const mayStay = ["th"];
    expect(judgeAnswers({ expected, mayStay, seen: ["th", "one", "two"], undecided: NONE }).problems).toEqual([]);
    expect(judgeAnswers({ expected, mayStay, seen: ["one", "two"], undecided: NONE }).problems).toEqual([]);
    expect(judgeAnswers({ expected, mayStay, seen: ["th", "th", "one", "two"], undecided: NONE }).problems.join("; ")).toMatch(
      /seen twice/,
    );
  });

  it("counts what the policy of the account allows", () => {
    expect(judgeAnswers({ expected, seen: ["one", "two", "two"], undecided: { resent: 1, held: 0 } })).toMatchObject({
      problems: [],
      doubled: 1,
    });
    expect(judgeAnswers({ expected, seen: ["two"], undecided: { resent: 0, held: 1 } })).toMatchObject({ problems: [], missing: 1 });
  });
});

describe("the judge of tools", () => {
  const INTENDED = ["commit (insert steps): before", "commit (insert steps): after"];
  const RAN = ["tool t: before", "tool t: after"];
  const KNOWN = ["commit (delete steps, update turns): before", "commit (delete steps, update turns): after"];
  const once = { name: "t", idempotent: false };
  const often = { name: "t", idempotent: true };

  it("lets a tool run once, and tell so", () => {
    expect(judgeTool({ tool: once, trace: [...INTENDED, ...RAN, ...KNOWN], ran: 1, unknown: false })).toEqual([]);
    expect(judgeTool({ tool: once, trace: [], ran: 1, unknown: false })).toEqual([]);
    expect(judgeTool({ tool: often, trace: [...RAN, ...KNOWN], ran: 1, unknown: false })).toEqual([]);
  });

  it("lets nobody run a tool that is not idempotent twice, wherever it was cut", () => {
    for (const trace of [[], INTENDED, [...INTENDED, ...RAN], [...INTENDED, ...RAN, ...KNOWN]]) {
      expect(judgeTool({ tool: once, trace, ran: 2, unknown: true }).join()).toContain("ran 2 times");
    }
  });

  it("wants one that was cut short to be told as unknown, and only that one", () => {
    expect(judgeTool({ tool: once, trace: INTENDED, ran: 0, unknown: true })).toEqual([]);
    expect(judgeTool({ tool: once, trace: [...INTENDED, ...RAN], ran: 1, unknown: true })).toEqual([]);
    expect(judgeTool({ tool: once, trace: [...INTENDED, ...RAN], ran: 1, unknown: false })).toEqual([
      "nobody was told that its outcome is unknown",
    ]);
    expect(judgeTool({ tool: once, trace: [...INTENDED, ...RAN, ...KNOWN], ran: 1, unknown: true })).toEqual([
      "its outcome was said to be unknown",
    ]);
    expect(judgeTool({ tool: once, trace: [...INTENDED, ...RAN], ran: 0, unknown: true }).join()).toContain("ran 0 times");
  });

  it("lets an idempotent one run again only while its result is not stored", () => {
    expect(judgeTool({ tool: often, trace: RAN, ran: 2, unknown: false })).toEqual([]);
    expect(judgeTool({ tool: often, trace: [...RAN, ...KNOWN], ran: 2, unknown: false }).join()).toContain("ran 2 times; at most 1");
    expect(judgeTool({ tool: often, trace: [], ran: 0, unknown: false }).join()).toContain("ran 0 times");
  });
});
