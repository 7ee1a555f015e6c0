import { describe, expect, it } from "vitest";
import { ANN, VISITOR } from "../test-support/rig.ts";
import { visitorConversation, webConversation } from "./conversation.ts";

describe("web conversation ids", () => {
  it("are the visitor's id, there and back", () => {
    const id = { kind: "direct", id: VISITOR } as const;
    expect(webConversation.parse(webConversation.format(id))).toEqual(id);
    expect(webConversation.normalizeTarget(` ${VISITOR} `)).toEqual({ ok: true, id });
  });

  it("are nothing else", () => {
    for (const text of ["", "main", VISITOR.toUpperCase(), `${VISITOR}0`, "@ann"]) {
      expect(webConversation.parse(text)).toBeUndefined();
      expect(webConversation.normalizeTarget(text)).toMatchObject({ ok: false, reason: "malformed" });
    }
  });

  it("are one for each visitor, named main", () => {
    const ref = { channel: "web", account: "main", kind: "direct", id: VISITOR };
    expect(visitorConversation("web", "main", ANN, null)).toEqual(ref);
    expect(visitorConversation("web", "main", ANN, "main")).toEqual(ref);
    expect(visitorConversation("web", "main", ANN, "second")).toBeUndefined();
  });
});
