import type { AccountConfig, GatewayConfig } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { type ConfigContext } from "./problem.ts";
import { diffConfig, isSame } from "./diff.ts";
import { readConfig } from "./read-config.ts";

const context: ConfigContext = { channels: [], knownProviders: ["demo"], written: () => undefined };

function config(tree: object, accounts: Readonly<Record<string, Partial<AccountConfig>>> = {}): GatewayConfig {
  const { config: read, problems } = readConfig({ version: 1, ...tree }, context);
  if (read === undefined) throw new Error(JSON.stringify(problems));
  const base = { enabled: true, dmPolicy: "open", groupPolicy: "open", allowFrom: [], groups: {}, onAmbiguous: "resend", own: {} } as const;
  return {
    ...read,
    channels: { pager: { accounts: Object.fromEntries(Object.entries(accounts).map(([name, own]) => [name, { ...base, ...own }])) } },
  };
}

describe("diffConfig", () => {
  it("finds nothing when the same thing is written in another order", () => {
    const one = config(
      { providers: { a: { type: "openai-compatible", baseUrl: "http://h/v1" } } },
      { main: { own: { key: "1", tone: 2 } } },
    );
    const two = config(
      { providers: { a: { baseUrl: "http://h/v1", type: "openai-compatible" } } },
      { main: { own: { tone: 2, key: "1" } } },
    );
    expect(diffConfig(one, two)).toEqual({ accounts: [], providers: [], agents: [], sections: [], needRestart: [] });
  });

  it("restarts an account whose own keys changed, and leaves the others alone", () => {
    const { accounts } = diffConfig(config({}, { a: { own: { key: "1" } }, b: {} }), config({}, { a: { own: { key: "2" } }, b: {} }));
    expect(accounts).toMatchObject([{ channel: "pager", account: "a", change: "restart" }]);
  });

  it("keeps the connection when only access rules changed", () => {
    const { accounts } = diffConfig(config({}, { a: {} }), config({}, { a: { allowFrom: ["1"] } }));
    expect(accounts).toMatchObject([{ account: "a", change: "adjust", config: { allowFrom: ["1"] } }]);
  });

  it("starts what is new and ends what is gone", () => {
    const { accounts } = diffConfig(config({}, { a: {} }), config({}, { b: {} }));
    expect(accounts.map(({ account, change }) => [account, change])).toEqual([
      ["a", "removed"],
      ["b", "added"],
    ]);
  });

  it("starts or ends an account that is switched on or off", () => {
    expect(diffConfig(config({}, { a: {} }), config({}, { a: { enabled: false } })).accounts).toMatchObject([{ change: "restart" }]);
  });

  it("names agents and providers that changed, and nothing else", () => {
    const provider = { type: "openai-compatible", baseUrl: "http://h/v1" };
    const before = config({ agents: { list: [{ id: "aria" }, { id: "bert" }] }, providers: { one: provider, two: provider } });
    const after = config({
      agents: { list: [{ id: "aria", thinking: "high" }, { id: "bert" }] },
      providers: { one: provider, three: provider },
    });
    expect(diffConfig(before, after)).toMatchObject({ agents: ["aria"], providers: ["two", "three"], sections: [], needRestart: [] });
  });

  it("makes all providers and connections anew when the proxy changes", () => {
    const providers = { one: { type: "openai-compatible", baseUrl: "http://h/v1" } };
    const accounts = { main: {} };
    const change = diffConfig(config({ providers }, accounts), config({ providers, network: { proxy: "http://p:1" } }, accounts));
    expect(change).toMatchObject({ providers: ["one"], sections: ["network"], accounts: [{ account: "main", change: "restart" }] });
  });

  it("says what counts after a restart only", () => {
    const { needRestart, sections } = diffConfig(
      config({}),
      config({ gateway: { port: 1, host: "::1" }, store: { url: "sqlite:./x.db" }, bindings: [{ agent: "guide", match: {} }] }),
    );
    expect(needRestart).toEqual(["gateway.host", "gateway.port", "store.url"]);
    expect(sections).toEqual(["bindings"]);
  });
});

describe("isSame", () => {
  it("tells a missing key from an empty one, and a list from a map", () => {
    expect(isSame({ a: undefined }, { b: undefined })).toBe(false);
    expect(isSame([], {})).toBe(false);
    expect(isSame([1, 2], [2, 1])).toBe(false);
    expect(isSame({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  });
});
