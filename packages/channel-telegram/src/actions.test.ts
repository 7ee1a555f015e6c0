import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { telegramActions } from "./actions.ts";

const target = (args: unknown) => telegramActions.extractToolSend({ args });

describe("the target of a tool's send", () => {
  it("is read from any of the usual keys, with or without a topic", () => {
    expect(target({ action: "send", to: "-1001234567890:5", content: "hi" })).toEqual({ to: "-1001234567890", threadId: "5" });
    expect(target({ to: "telegram:12" })).toEqual({ to: "12" });
    expect(target({ action: "thread-reply", chatId: -100_777, threadId: 9 })).toEqual({ to: "-100777", threadId: "9" });
    expect(target({ action: "sendMessage", chat_id: 12, message_thread_id: "3" })).toEqual({ to: "12", threadId: "3" });
  });

  it("does not exist for what does not send", () => {
    for (const args of [{ action: "react", to: "12" }, { action: "send" }, { to: "  " }, {}, [], null, undefined, 7, "to"])
      expect(target(args)).toBeUndefined();
  });

  it("stays as written when it is nobody's id", () => {
    expect(target({ to: "@ann" })).toEqual({ to: "@ann" });
  });

  it("never throws, whatever the arguments", () => {
    const hostile = {
      get to(): string {
        throw new Error("no");
      },
    };
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(target(hostile)).toBeUndefined();
    expect(target(proxy)).toBeUndefined();
    fc.assert(fc.property(fc.anything(), (args) => void target(args)));
    fc.assert(
      fc.property(fc.record({ action: fc.constant("send"), to: fc.anything(), threadId: fc.anything() }), (args) => void target(args)),
    );
  });
});
