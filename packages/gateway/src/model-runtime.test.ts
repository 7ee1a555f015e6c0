import { type AgentEvent, type AgentRun, type GatewayConfig, type ModelProvider } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { describe, expect, it } from "vitest";
import { createModelRuntime, type ModelRuntime } from "./model-runtime.ts";

/** What a test needs to see of a provider: which one of its id it is, and whether it is closed. */
interface Made extends ModelProvider {
  readonly name: string;
  closed: boolean;
}

function rig() {
  const made: Made[] = [];
  const makeProvider = (id: string): ModelProvider => {
    const provider: Made = {
      id,
      name: `${id}${made.filter((one) => one.id === id).length + 1}`,
      closed: false,
      // Never asked: the loop below looks only at the names.
      stream: () => (async function* () {})(),
      async close() {
        provider.closed = true;
      },
    };
    made.push(provider);
    return provider;
  };
  const models = createModelRuntime({
    container: createContainer(),
    makeProvider,
    // A loop that names the provider of each of its steps.
    makeLoop: (registry) => ({
      async *run({ models: [model = ""] }) {
        for (;;) yield { type: "text", delta: (registry.resolve(model).provider as Made).name };
      },
    }),
  });
  return { models, made, closed: () => made.filter(({ closed }) => closed).map(({ name }) => name) };
}

const configOf = (...ids: string[]): GatewayConfig =>
  ({ providers: Object.fromEntries(ids.map((id) => [id, {}])) }) as unknown as GatewayConfig;

function run(models: ModelRuntime, model: string): AsyncIterator<AgentEvent> {
  return models.run({ models: [model] } as unknown as AgentRun)[Symbol.asyncIterator]();
}

const step = async (turn: AsyncIterator<AgentEvent>): Promise<unknown> => ((await turn.next()).value as { delta: string }).delta;

describe("createModelRuntime", () => {
  it("makes only the changed providers anew", () => {
    const { models, made, closed } = rig();
    models.use(configOf("a", "b"), []);
    models.use(configOf("a", "b", "c"), ["b", "c"]);
    expect(made.map(({ name }) => name)).toEqual(["a1", "b1", "b2", "c1"]);
    expect(closed()).toEqual(["b1"]);
  });

  it("lets a run keep the providers that it began with, and closes them when it ends", async () => {
    const { models, closed } = rig();
    models.use(configOf("a", "b"), []);
    const turn = run(models, "a/x");
    expect(await step(turn)).toBe("a1");
    models.use(configOf("a"), ["a", "b"]);
    models.use(configOf(), ["a"]);
    expect(await step(turn)).toBe("a1");
    expect(closed()).toEqual(["a2"]);
    await turn.return?.();
    expect(closed()).toEqual(["a1", "b1", "a2"]);
    await expect(run(models, "a/x").next()).rejects.toMatchObject({ code: "MODEL_UNKNOWN" });
  });

  it("keeps everything as it was when a provider cannot be made or has a taken name", async () => {
    const { models, closed } = rig();
    models.use(configOf("a"), []);
    const failing = {
      get providers(): never {
        throw new TypeError("no");
      },
    } as unknown as GatewayConfig;
    expect(() => models.use(failing, [])).toThrow("no");
    expect(await step(run(models, "a/x"))).toBe("a1");
    expect(closed()).toEqual([]);
  });

  it("closes every provider at the end, also of runs that still go on", async () => {
    const { models, closed } = rig();
    models.use(configOf("a"), []);
    await step(run(models, "a/x"));
    models.use(configOf("a"), ["a"]);
    await models.close();
    expect(closed()).toEqual(["a1", "a2"]);
  });
});
