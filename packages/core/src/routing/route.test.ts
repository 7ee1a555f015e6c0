import type { BindingConfig, ConversationRef } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { fakeConfig } from "../fake-config.ts";
import { fakeGroupMessage, fakeMessage, GROUP } from "../fake-message.ts";
import { decideRoute } from "./route.ts";

const bind = (agent: string, match: BindingConfig["match"]): BindingConfig => ({ agent, match });

function route(bindings: readonly BindingConfig[], over: Partial<ConversationRef> = {}, groups = {}) {
  return decideRoute(
    fakeGroupMessage({ conversation: { ...GROUP, space: "acme", ...over } }),
    fakeConfig({ bindings, account: { groups } }),
  );
}

const ALL: readonly BindingConfig[] = [
  bind("any", {}),
  bind("channel", { channel: "fake" }),
  bind("account", { channel: "fake", account: "main" }),
  bind("space", { channel: "fake", space: "acme" }),
  bind("chat", { channel: "fake", peer: "group:team" }),
  bind("thread", { channel: "fake", peer: "group:team:7" }),
];

describe("routing", () => {
  it("takes the first agent of the list when no binding matches", () => {
    expect(route([bind("other", { channel: "web" })])).toMatchObject({
      agent: "aria",
      decision: { code: "first-agent", path: "agents.list.0" },
    });
  });

  it("lets the most specific binding win, whatever the order", () => {
    const steps = [
      ["thread", "peer", "bindings.5"],
      ["chat", "thread-parent", "bindings.4"],
      ["space", "space", "bindings.3"],
      ["account", "account", "bindings.2"],
      ["channel", "channel", "bindings.1"],
      ["any", "default", "bindings.0"],
    ] as const;
    steps.forEach(([agent, code, path], gone) => {
      expect(route(ALL.slice(0, ALL.length - gone), { threadId: "7" })).toMatchObject({ agent, decision: { stage: "route", code, path } });
    });
  });

  it("takes a rule for the chat as its own outside of threads", () => {
    expect(route(ALL)).toMatchObject({ agent: "chat", decision: { code: "peer" } });
  });

  it("lets the first of two equal bindings win", () => {
    expect(route([bind("one", { channel: "fake" }), bind("two", { channel: "fake" })]).agent).toBe("one");
  });

  it("takes all conditions of a binding together", () => {
    expect(route([bind("no", { channel: "fake", peer: "group:team", space: "other" }), bind("yes", { account: "main" })]).agent).toBe(
      "yes",
    );
    expect(route([bind("no", { channel: "web", peer: "group:team" })]).agent).toBe("aria");
    expect(route([bind("no", { account: "second" })]).agent).toBe("aria");
    expect(route([bind("no", { peer: "channel:team" })]).agent).toBe("aria");
  });

  it("names direct conversations by their person", () => {
    const config = fakeConfig({ bindings: [bind("ann", { channel: "fake", peer: "dm:ann" })] });
    expect(decideRoute(fakeMessage(), config)).toMatchObject({ agent: "ann", decision: { code: "peer" } });
    expect(decideRoute(fakeMessage({ sender: { id: "bob", isBot: false, isSelf: false } }), config).agent).toBe("aria");
    expect(decideRoute(fakeMessage({ conversation: { ...GROUP, kind: "direct", threadId: "7" } }), config).decision.code).toBe("peer");
  });

  it("follows the agent that a group names before any binding", () => {
    expect(route(ALL, {}, { team: { agent: "own" } })).toMatchObject({
      agent: "own",
      decision: { code: "group", path: "channels.fake.accounts.main.groups.team.agent" },
    });
    expect(route(ALL, {}, { "*": { agent: "own" } })).toMatchObject({
      agent: "own",
      decision: { path: "channels.fake.accounts.main.groups.*.agent" },
    });
    expect(route(ALL, {}, { "*": { agent: "own" }, team: {} }).agent).toBe("chat");
    expect(decideRoute(fakeMessage(), fakeConfig({ account: { groups: { ann: { agent: "own" }, "*": { agent: "own" } } } })).agent).toBe(
      "aria",
    );
  });
});
