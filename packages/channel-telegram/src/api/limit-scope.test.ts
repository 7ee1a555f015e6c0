import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createLimitScopes } from "./limit-scope.ts";

function setUp() {
  const clock = createVirtualClock();
  const scopes = createLimitScopes(clock);
  const refuse = (chatId: string) => {
    scopes.note(chatId);
    return scopes.refused(chatId);
  };
  return { clock, scopes, refuse };
}

describe("whose limit a 429 is", () => {
  it("is the chat's when something went there lately", async () => {
    const { clock, scopes, refuse } = setUp();
    for (const chat of ["1", "2", "3"]) scopes.note(chat);
    await clock.advance(59_000);
    expect(["1", "2", "3"].map(refuse)).toEqual(["chat", "chat", "chat"]);
  });

  it("is the account's when two quiet chats are refused together", () => {
    const { refuse } = setUp();
    expect([refuse("1"), refuse("2"), refuse("3")]).toEqual(["chat", "account", "account"]);
  });

  it("is never the account's by one chat alone: it may have been limited before a restart", async () => {
    const { clock, refuse } = setUp();
    for (let n = 0; n < 5; n += 1) {
      expect(refuse("1")).toBe("chat");
      await clock.advance(61_000);
    }
  });

  it("is the chat's when the other refusal is long ago", async () => {
    const { clock, refuse } = setUp();
    refuse("1");
    await clock.advance(5000);
    expect(refuse("2")).toBe("chat");
  });

  it("is found out with a bounded memory", () => {
    const { scopes, refuse } = setUp();
    for (let n = 0; n < 10_000; n += 1) scopes.note(`chat ${n}`);
    expect(refuse("chat 9999")).toBe("chat");
    expect(refuse("chat 0")).toBe("chat");
    expect(refuse("chat 1")).toBe("account");
  });
});
