import { DISPOSITIONS } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import { type Explanation, formatExplanation } from "./explain.ts";
import { meaningOf } from "./meaning.ts";

const EXPLANATION: Explanation = {
  id: "in_1",
  channel: "irc",
  account: "main",
  conversation: "ann",
  thread: "",
  platformId: "42",
  receivedAt: 0,
  state: "done",
  disposition: "replied",
  delivery: "delivered",
  duplicates: 0,
  decisions: [{ stage: "access", code: "listed", why: "the sender is on the allow list", path: "a.b", at: "x.yaml:3" }],
  turn: null,
  parts: [],
};

it.each(DISPOSITIONS)("the outcome %s is told with what it means and why", (disposition) => {
  const text = formatExplanation({ ...EXPLANATION, disposition });
  expect(text).toContain(`outcome   ${disposition}`);
  expect(text).toContain(meaningOf(disposition));
  expect(text).toContain("access    listed: the sender is on the allow list");
  expect(text).toContain("x.yaml:3  a.b");
});

it("each outcome has a meaning of its own", () => {
  expect(new Set(DISPOSITIONS.map(meaningOf)).size).toBe(DISPOSITIONS.length);
  expect(meaningOf("from-the-future")).toContain("does not know");
});
