import { describe, expect, it } from "vitest";
import { ANN, VISITOR } from "../test-support/rig.ts";
import { visitorConversation, webConversation } from "./conversation.ts";

describe("web conversation ids", () => {
  it("are the visitor's id, there and back", () => {
    const id = { kind: "direct", id: VISITOR } as const;
    expect(webConversation.parse(webConversation.format(id))).toEqual(id);
    expect(webConversation.normalizeTarget(` ${VISITOR} `)).toEqual({ ok: true, id });
  });

  it("have the name of a further conversation behind a colon, there and back", () => {
    const id = { kind: "direct", id: VISITOR, threadId: "00112233445566ff" } as const;
    expect(webConversation.format(id)).toBe(`${VISITOR}:00112233445566ff`);
    expect(webConversation.parse(webConversation.format(id))).toEqual(id);
  });

  it("are nothing else", () => {
    for (const text of [
      "",
      "main",
      VISITOR.toUpperCase(),
      `${VISITOR}0`,
      "@ann",
      `${VISITOR}:`,
      `${VISITOR}:main`,
      `${VISITOR}:00112233445566ff:1`,
    ]) {
      expect(webConversation.parse(text)).toBeUndefined();
      expect(webConversation.normalizeTarget(text)).toMatchObject({ ok: false, reason: "malformed" });
    }
  });

  it("belong to the visitor who asks: main, and further ones by their names", () => {
    const ref = { channel: "web", account: "main", kind: "direct", id: VISITOR };
    expect(visitorConversation("web", "main", ANN, null)).toEqual(ref);
    expect(visitorConversation("web", "main", ANN, "main")).toEqual(ref);
    expect(visitorConversation("web", "main", ANN, "00112233445566ff")).toEqual({ ...ref, threadId: "00112233445566ff" });
    for (const name of ["second", "", "00112233445566FF", "../main", VISITOR]) {
      expect(visitorConversation("web", "main", ANN, name)).toBeUndefined();
    }
  });
});
