import { describe, expect, it } from "vitest";
import type { ModelProvider } from "@trunkline/plugin-sdk";
import { createModelRegistry } from "./registry.ts";

function provider(id: string, close?: () => Promise<void>): ModelProvider {
  return { id, stream: async function* () {}, ...(close === undefined ? {} : { close }) };
}

describe("the model registry", () => {
  const registry = createModelRegistry([provider("demo"), provider("openrouter")]);

  it("finds the provider, and leaves slashes in the model's name alone", () => {
    expect(registry.resolve("demo/guide")).toMatchObject({ provider: { id: "demo" }, model: "guide" });
    expect(registry.resolve("openrouter/meta/llama-4:free")).toMatchObject({ provider: { id: "openrouter" }, model: "meta/llama-4:free" });
  });

  it.each([
    ["opnrouter/meta/llama", "Did you mean openrouter/meta/llama? Providers: demo, openrouter."],
    ["Demo/guide", "Did you mean demo/guide?"],
    ["demo", "Write the model after the provider, as in demo/NAME."],
    ["demo/", "Write the model after the provider"],
    ["guide", "Write provider/model. Providers: demo, openrouter."],
    ["/guide", "Write provider/model."],
    ["", "Write provider/model."],
    ["x".repeat(100_000), "Write provider/model."],
  ])("refuses %.30s and says what to write", (reference, hint) => {
    expect(() => registry.resolve(reference)).toThrow(
      expect.objectContaining({ code: "MODEL_UNKNOWN", hint: expect.stringContaining(hint) }),
    );
  });

  it("refuses two providers with one id", () => {
    expect(() => createModelRegistry([provider("demo"), provider("x"), provider("demo")])).toThrow(
      expect.objectContaining({ code: "PLUGIN_DUPLICATE_ID", message: expect.stringContaining("demo: number 1 and number 3") }),
    );
  });

  it("closes every provider, even after one that fails to", async () => {
    const closed: string[] = [];
    await createModelRegistry([
      provider("a", () => Promise.reject(new Error("stuck"))),
      provider("b"),
      provider("c", async () => void closed.push("c")),
    ]).close();
    expect(closed).toEqual(["c"]);
  });
});
