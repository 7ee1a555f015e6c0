import { describe, expect, it } from "vitest";
import { createConversationLists, MAX_CONVERSATIONS, touched, toTitle } from "./conversation-list.ts";

const main = { id: "main", title: "" };

describe("the list of conversations", () => {
  it("has the one that was written in last first, named by its first words", () => {
    const one = touched([main], "main", "Plan a trip to Oslo\nin May");
    expect(one).toEqual([{ id: "main", title: "Plan a trip to Oslo in May" }]);
    if (one === "full") return;
    const two = touched(one, "b", "And now for something else");
    expect(two).toEqual([{ id: "b", title: "And now for something else" }, ...one]);
    if (two === "full") return;
    expect(touched(two, "b", "more")).toBe(two);
    expect(touched(two, "main", "back")).toEqual([one[0], two[0]]);
  });

  it("is not named by a command", () => {
    expect(touched([main], "main", "/help")).toEqual([main]);
  });

  it("has an end, and then says so rather than forgetting one", () => {
    const many = Array.from({ length: MAX_CONVERSATIONS }, (_, n) => ({ id: `c${n}`, title: "x" }));
    expect(touched(many, "new", "hello")).toBe("full");
    expect(touched(many, "c50", "hello")).toHaveLength(MAX_CONVERSATIONS);
  });

  it("takes changes that come at once one after the other", async () => {
    const kept = new Map<string, string>();
    const lists = createConversationLists({
      get: async (name) => kept.get(name),
      set: async (name, value) => void (value === undefined ? kept.delete(name) : kept.set(name, value)),
    });
    await Promise.all([
      lists.touch("v", "a", "one"),
      lists.touch("v", "b", "two"),
      lists.rename("v", "main", "Mine"),
      lists.touch("w", "c", "x"),
    ]);
    expect((await lists.of("v")).map(({ id, title }) => `${id} ${title}`).toSorted()).toEqual(["a one", "b two", "main Mine"]);
    expect(await lists.remove("v", "a")).toHaveLength(2);
    expect(await lists.remove("v", "a")).toBeUndefined();
    expect(await lists.rename("v", "nope", "x")).toBeUndefined();
  });
});

describe("a title", () => {
  it("is one line without marks, cut at a word", () => {
    expect(toTitle("  # Hello\t**there**\u202e\n", 80)).toBe("Hello **there**");
    expect(toTitle("a word and another word", 16)).toBe("a word and…");
    expect(toTitle("\u{1F600}".repeat(40), 10)).toBe(`${"\u{1F600}".repeat(9)}…`);
    expect(toTitle("\n\u200b", 10)).toBe("");
  });
});
