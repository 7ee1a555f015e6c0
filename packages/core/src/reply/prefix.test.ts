import { describe, expect, it } from "vitest";
import { fakeAccount, fakeAgent, fakeConfig } from "../fake-config.ts";
import { createReplyPrefixContext, fillPrefix, shortModelName } from "./prefix.ts";

const known = { model: "gpt-5.2", modelFull: "openai/gpt-5.2", provider: "openai", thinkingLevel: "high", identityName: "Ada" };

describe("a prefix", () => {
  it.each([
    ["{provider}/{think}", "openai/high"],
    ["[{model}]", "[gpt-5.2]"],
    ["{identityName}:", "Ada:"],
    ["{identity.name}:", "Ada:"],
    ["{modelFull}>", "openai/gpt-5.2>"],
    ["{MODEL} {ThinkingLevel}", "gpt-5.2 high"],
    ["{model}{model}", "gpt-5.2gpt-5.2"],
    ["plain", "plain"],
    ["{ model } {1x} {other} {constructor}", "{ model } {1x} {other} {constructor}"],
  ])("%j is %j", (template, expected) => {
    expect(fillPrefix(template, known)).toBe(expected);
  });

  it("keeps what nobody knows as it is written", () => {
    expect(fillPrefix("[{model}]", {})).toBe("[{model}]");
  });

  it.each([
    ["anthropic/claude-sonnet-4-latest", "claude-sonnet-4"],
    ["claude-opus-4-5-20251101", "claude-opus-4-5"],
    ["gpt-4o-2024-08-06", "gpt-4o-2024-08-06"],
    ["a/b/c-latest", "c"],
  ])("calls %s %s", (model, expected) => {
    expect(shortModelName(model)).toBe(expected);
  });
});

describe("the prefix of a turn", () => {
  const cfg = fakeConfig({ messages: { responsePrefix: "{identityName} ({model}): " } });

  it("names the model that answered, after a fallback too, in one object", () => {
    const prefix = createReplyPrefixContext({ cfg, agentId: "aria", channel: "fake", accountId: "main" });
    const first = prefix.responsePrefixContextProvider();
    prefix.onModelSelected({ provider: "one", model: "gpt-5.2" });
    prefix.onModelSelected({ provider: "anthropic", model: "opus-4-20251101", thinkLevel: "high" });
    expect(prefix.responsePrefixContextProvider()).toBe(first);
    expect(fillPrefix(prefix.responsePrefix!, first)).toBe("Aria (opus-4): ");
    expect(first).toMatchObject({ modelFull: "anthropic/opus-4-20251101", thinkingLevel: "high" });
  });

  it("is the agent's own, else the account's, else everybody's", () => {
    const of = (agent: string | undefined, account: string | undefined) =>
      createReplyPrefixContext({
        cfg: fakeConfig({
          messages: { responsePrefix: "all" },
          agents: [fakeAgent(agent === undefined ? {} : { responsePrefix: agent })],
          channels: { fake: { accounts: { main: fakeAccount(account === undefined ? {} : { responsePrefix: account }) } } },
        }),
        agentId: "aria",
        channel: "fake",
        accountId: "main",
      }).responsePrefix;
    expect([of(undefined, undefined), of(undefined, "account"), of("agent", "account"), of("", "account")]).toEqual([
      "all",
      "account",
      "agent",
      undefined,
    ]);
    expect(of("auto", undefined)).toBe("[Aria]");
    expect(createReplyPrefixContext({ cfg: fakeConfig(), agentId: "aria" }).responsePrefix).toBeUndefined();
  });
});
