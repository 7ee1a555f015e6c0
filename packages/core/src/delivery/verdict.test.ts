import { ERROR_CODES, type ErrorCode, GatewayError, type OutboundPart } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { DIRECT } from "../fake-message.ts";
import { judgeSendError } from "./verdict.ts";

const part: OutboundPart = {
  id: "ob_1",
  key: "k",
  conversation: { ...DIRECT, threadId: "7" },
  replyToId: "p1",
  text: { text: "bold", plain: "bold", length: 4, entities: [{ type: "bold", offset: 0, length: 4 }] },
};
const judge = (code: ErrorCode, of: OutboundPart = part) => judgeSendError(new GatewayError(code), of);

describe("what a failed send means", () => {
  it.each([
    ["DELIVERY_RETRY", "retry"],
    ["CHANNEL_UNREACHABLE", "retry"],
    ["CHANNEL_FAILED", "retry"],
    ["STORE_FAILED", "retry"],
    ["DELIVERY_OUTCOME_UNKNOWN", "reconcile"],
    ["GATEWAY_BUG", "reconcile"],
    ["CHANNEL_TOKEN_REJECTED", "park"],
    ["DELIVERY_REFUSED", "bury"],
    ["DELIVERY_MEDIA_REFUSED", "bury"],
  ] as const)("%s: %s", (code, action) => {
    expect(judge(code).action).toBe(action);
  });

  it.each(["DELIVERY_MARKUP_REFUSED", "DELIVERY_TOO_LONG"] as const)("%s is tried as plain text, once", (code) => {
    const verdict = judge(code);
    if (verdict.action !== "reformat") throw new Error(verdict.action);
    expect(verdict.part.text).toEqual({ text: "bold", plain: "bold", length: 4 });
    expect(judge(code, verdict.part).action).toBe("bury");
  });

  it("drops the quote when the quoted message is gone, and nothing else", () => {
    const { replyToId: _, ...without } = part;
    expect(judge("DELIVERY_REPLY_GONE")).toEqual({ action: "reformat", part: without });
    expect(judge("DELIVERY_REPLY_GONE", without).action).toBe("bury");
  });

  it("goes to the chat itself when the thread is gone", () => {
    expect(judge("DELIVERY_THREAD_GONE")).toEqual({ action: "reformat", part: { ...part, conversation: DIRECT } });
    expect(judge("DELIVERY_THREAD_GONE", { ...part, conversation: DIRECT }).action).toBe("bury");
  });

  it.each([
    ["DELIVERY_NO_ACCESS", "bury"],
    ["DELIVERY_POISON", "bury"],
    ["DELIVERY_OUTCOME_UNKNOWN", "retry"],
  ] as const)("of an edit, %s: %s", (code, action) => {
    expect(judgeSendError(new GatewayError(code), { ...part, replaces: "ob_0" }, "edit").action).toBe(action);
  });

  it("sends what cannot be an edit, since the message is gone", () => {
    expect(judge("DELIVERY_EDIT_GONE", { ...part, replaces: "ob_0" })).toEqual({ action: "reformat", part });
    expect(judge("DELIVERY_EDIT_GONE").action).toBe("bury");
  });

  it("cuts a text that is too long", () => {
    const long = "word ".repeat(100);
    const verdict = judge("DELIVERY_TOO_LONG", { ...part, text: { text: long, plain: long, length: long.length } });
    expect(verdict.action).toBe("split");
  });

  it("has an answer for every code, and never changes the key", () => {
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const verdict = judge(code);
      if (verdict.action === "reformat") expect(verdict.part.key).toBe(part.key);
    }
  });
});
