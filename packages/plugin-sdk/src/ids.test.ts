import { describe, expect, it } from "vitest";
import { createIds } from "./ids.ts";

function ids(times: readonly number[], random: () => number = () => 0.5) {
  let call = 0;
  return createIds(() => times[Math.min(call++, times.length - 1)]!, random);
}

describe("ids", () => {
  it("carry their prefix and a ULID", () => {
    expect(ids([1_000_000]).next("in")).toMatch(/^in_[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it("ascend as text, within a millisecond, over time, and when the clock goes back", () => {
    const source = ids([1000, 1000, 1000, 2000, 500, 400, 3000, 2999]);
    const made = Array.from({ length: 200 }, () => source.next("ob"));
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
  });

  it("are the same for the same clock and source", () => {
    const make = () => [ids([5]).next("tn"), ids([5]).next("tn")];
    expect(make()).toEqual(make());
  });
});
