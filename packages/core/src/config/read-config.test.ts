import type { ChannelPlugin, GatewayConfig } from "@trunkline/plugin-sdk";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type { ConfigContext } from "./problem.ts";
import { readConfig } from "./read-config.ts";
import type { resolveConfig } from "./resolve.ts";
import type { ConfigFile } from "./schema.ts";

function channel(id: string, own: z.ZodObject, authenticates = false): ChannelPlugin {
  const connect = (): never => expect.fail("no configuration connects");
  return { id, label: id, configSchema: own, secretKeys: ["key"], capabilities: { authenticates }, connect } as unknown as ChannelPlugin;
}

const context: ConfigContext = {
  channels: [channel("pager", z.strictObject({ key: z.string(), beeps: z.int().default(2) })), channel("desk", z.strictObject({}), true)],
  knownProviders: ["demo"],
  written: () => undefined,
};

function read(tree: unknown): GatewayConfig {
  const { config, problems } = readConfig(tree, context);
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

describe("readConfig", () => {
  it("gives exactly the configuration that the contracts promise", () => {
    expectTypeOf<ReturnType<typeof resolveConfig>>().toEqualTypeOf<GatewayConfig>();
    expectTypeOf<ConfigFile["gateway"]>().toExtend<GatewayConfig["gateway"]>();
    expectTypeOf<ConfigFile["providers"][string]>().toExtend<GatewayConfig["providers"][string]>();
    expectTypeOf<ConfigFile["bindings"]>().toExtend<GatewayConfig["bindings"]>();
    expectTypeOf<ConfigFile["channels"][string]["accounts"][string]["groups"]>().toExtend<
      GatewayConfig["channels"][string]["accounts"][string]["groups"]
    >();
  });

  it("fills in defaults and keeps a channel's own keys apart from the common ones", () => {
    const { channels, messages } = read({ version: 1, channels: { pager: { accounts: { main: { key: "k", allowFrom: ["1"] } } } } });
    expect(channels["pager"]?.accounts["main"]).toEqual({
      enabled: true,
      dmPolicy: "pairing",
      groupPolicy: "allowlist",
      allowFrom: ["1"],
      groups: {},
      onAmbiguous: "resend",
      own: { key: "k", beeps: 2 },
    });
    expect(messages).toEqual({
      queue: { mode: "collect", cap: 20 },
      maxInboundAge: 21_600_000,
      silentToken: "NO_REPLY",
      silence: "exact",
      texts: {},
    });
  });

  it("refuses a channel that only renders, with that sentence, also where it is bound", () => {
    const { connect: _, ...postcards } = { ...channel("cards", z.strictObject({})), label: "Postcards" };
    const tree = {
      version: 1,
      channels: { cards: { accounts: { main: {} } } },
      bindings: [{ match: { channel: "cards" }, agent: "guide" }],
    };
    const { config, problems } = readConfig(tree, { ...context, channels: [...context.channels, postcards] });
    expect(config).toBeUndefined();
    expect(problems).toEqual([
      {
        code: "CHANNEL_RENDERS_ONLY",
        path: ["channels", "cards"],
        at: "key",
        message: "Postcards has no connection yet: this version only shows how answers would look there.",
        hint: "Take channels.cards out of the configuration; `trunkline render --channel cards FILE` shows a text as it would be sent.",
      },
      expect.objectContaining({ code: "CHANNEL_UNKNOWN", path: ["bindings", 0, "match", "channel"] }),
    ]);
  });

  it("opens direct messages where the channel signs people in", () => {
    expect(read({ version: 1, channels: { desk: { accounts: { main: {} } } } }).channels["desk"]?.accounts["main"]?.dmPolicy).toBe("open");
  });

  it("merges an agent with the defaults: scalars and lists replace, maps merge", () => {
    const { agents } = read({
      version: 1,
      agents: {
        defaults: { model: { primary: "demo/a", fallbacks: ["demo/b"], params: { temperature: 1, top_p: 1 } }, thinking: "high" },
        list: [
          { id: "one" },
          {
            id: "two",
            identity: { name: "Two" },
            thinking: "off",
            model: { primary: "demo/c", fallbacks: [], params: { temperature: 0 } },
          },
        ],
      },
    });
    expect(agents.list[0]).toEqual({
      id: "one",
      identity: { name: "one" },
      instructions: "You are one, a helpful assistant.",
      model: { primary: "demo/a", fallbacks: ["demo/b"], params: { temperature: 1, top_p: 1 } },
      thinking: "high",
    });
    expect(agents.list[1]?.model).toEqual({ primary: "demo/c", fallbacks: [], params: { temperature: 0, top_p: 1 } });
    expect(agents.list[1]?.thinking).toBe("off");
  });

  it("answers with the guide when no agent is listed", () => {
    expect(read({ version: 1 }).agents.list.map(({ id, model }) => [id, model.primary])).toEqual([["guide", "demo/guide"]]);
  });

  it("takes an empty key or proxy from the environment for none", () => {
    const { providers, network } = read({
      version: 1,
      network: { proxy: "" },
      providers: { local: { type: "openai-compatible", baseUrl: "http://localhost/v1", apiKey: "" } },
    });
    expect(network).toEqual({});
    expect(providers["local"]).not.toHaveProperty("apiKey");
  });

  it("reads every queue mode, and what an agent says differently over what all agents say differently", () => {
    expect(read({ version: 1, messages: { queue: { mode: "steer" } } }).messages.queue.mode).toBe("steer");
    const list = [{ id: "a", queue: { mode: "interrupt" } }, { id: "b" }];
    const { agents } = read({ version: 1, agents: { defaults: { queue: { mode: "steer", cap: 3 } }, list } });
    expect(agents.list.map(({ queue }) => queue)).toEqual([
      { mode: "interrupt", cap: 3 },
      { mode: "steer", cap: 3 },
    ]);
  });

  it("says so when a channel's schema cannot be used, and repeats nothing of what it was given", () => {
    const throwing = channel(
      "pager",
      z.strictObject({ key: z.string() }).transform((): never => {
        throw new TypeError("canary-secret");
      }) as unknown as z.ZodObject,
    );
    const json = {
      ...throwing.configSchema["~standard"],
      jsonSchema: { input: () => ({ type: "object", properties: { key: { type: "string" } } }) },
    };
    const plugin = { ...throwing, configSchema: { "~standard": json } } as ChannelPlugin;
    const { problems } = readConfig(
      { version: 1, channels: { pager: { accounts: { main: { key: "canary-secret" } } } } },
      { ...context, channels: [plugin] },
    );
    expect(problems.map(({ message }) => message)).toContain("the channel pager could not check its keys");
    expect(JSON.stringify(problems)).not.toContain("canary");
  });

  it("asks for the channel and account that an owner is on", () => {
    const { problems } = readConfig(
      { version: 1, owners: ["pagr:main:1"], channels: { pager: { accounts: { main: { key: "k" } } } } },
      context,
    );
    expect(problems.find(({ code }) => code === "CHANNEL_UNKNOWN")).toMatchObject({ path: ["owners", 0], nearest: "pager" });
  });
});
