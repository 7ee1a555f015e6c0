import { describe, expect, it } from "vitest";
import { webActions } from "./actions.ts";

describe("tool sends on the web", () => {
  it("are found by their target", () => {
    expect(webActions.extractToolSend({ args: { action: "send", to: " abc " } })).toEqual({ to: "abc" });
    expect(webActions.extractToolSend({ args: { to: "abc" } })).toEqual({ to: "abc" });
  });

  it("are never found in what is none, and junk never throws", () => {
    for (const args of [undefined, null, 1, "x", [], {}, { to: 1 }, { to: " " }, { action: "react", to: "abc" }, Object.create(null)]) {
      expect(webActions.extractToolSend({ args })).toBeUndefined();
    }
  });
});
