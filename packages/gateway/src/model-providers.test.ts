import { silentLogger, systemClock } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { loadConfig } from "./config/load.ts";
import { makeModelProvider, withProvidersOfEnvironment } from "./model-providers.ts";

function load(yaml: string, env: Readonly<Record<string, string>>) {
  const files = { read: () => new TextEncoder().encode(yaml), mode: () => 0o600 };
  return loadConfig({ file: "/bot/trunkline.yaml", env, channels: [], knownProviders: ["demo"], files });
}

const using = (model: string): string => `version: 1\nagents: { defaults: { model: { primary: ${model} } } }\n`;

describe("a provider whose key is in the environment", () => {
  it.each([
    ["anthropic/claude-sonnet-5", "ANTHROPIC_API_KEY"],
    ["openai/gpt-5.2", "OPENAI_API_KEY"],
    ["google/gemini-3.5-flash", "GEMINI_API_KEY"],
    ["google/gemini-3.5-flash", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ])("needs no entry: %s by %s", (model, variable) => {
    const key = "a-key-of-some-length";
    const loaded = load(using(model), { [variable]: key });
    expect(loaded.ok).toBe(true);
    const [id = ""] = model.split("/");
    const config = loaded.ok ? loaded.snapshot.config : undefined;
    expect(config?.providers[id]).toEqual({ type: id, apiKey: key });
    expect(loaded.secrets).toContain(key);
  });

  it.each([{}, { ANTHROPIC_API_KEY: "" }, { ANTHROPIC_API_KEY: " " }])(
    "is not there without it, and the mistake says how to get it: %j",
    (env) => {
      const loaded = load(using("anthropic/claude-sonnet-5"), env);
      expect(loaded).toMatchObject({
        ok: false,
        issues: [{ code: "MODEL_UNKNOWN", hint: expect.stringContaining("Set ANTHROPIC_API_KEY in the environment") }],
      });
    },
  );

  it("leaves alone what is written", () => {
    const raw = { providers: { openai: { type: "openai-compatible", baseUrl: "http://x/v1" } } };
    expect(withProvidersOfEnvironment(raw, { OPENAI_API_KEY: "k" })).toBe(raw);
    for (const odd of [undefined, null, [], "x", { providers: [] }, { providers: 5 }])
      expect(withProvidersOfEnvironment(odd, { OPENAI_API_KEY: "k" })).toBe(odd);
  });

  it("needs no file either", () => {
    const loaded = loadConfig({ env: { OPENAI_API_KEY: "k" }, channels: [], knownProviders: ["demo"] });
    expect(loaded.ok && Object.keys(loaded.snapshot.config.providers)).toEqual(["openai"]);
  });
});

describe("a configured provider", () => {
  it.each(["openai-compatible", "anthropic", "openai", "google"])(
    "of type %s is made without loading or connecting anything",
    async (type) => {
      const yaml = `version: 1\nproviders: { mine: { type: ${type}, baseUrl: "http://127.0.0.1:9/v1", apiKey: [k1, k2], models: { m: { input: [text, image] } } } }\n`;
      const loaded = load(yaml, {});
      if (!loaded.ok) return expect(loaded.issues).toEqual([]);
      const provider = makeModelProvider("mine", loaded.snapshot.config, { clock: systemClock, logger: silentLogger });
      expect(provider.id).toBe("mine");
      expect(provider.about?.("m")).toMatchObject({ input: ["text", "image"] });
      expect(provider.unavailable?.("m")).toBeUndefined();
      await provider.close?.();
    },
  );
});
