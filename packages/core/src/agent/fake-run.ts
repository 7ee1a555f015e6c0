import {
  type AgentEvent,
  type AgentJournal,
  type AgentRun,
  type GatewayError,
  type ModelInfo,
  type ModelProvider,
  silentLogger,
} from "@trunkline/plugin-sdk";
import { createScriptedModel, createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { DIRECT } from "../fake-message.ts";
import { fakeAgentJournal } from "../journal/fake-journal.ts";
import { createModelRegistry } from "../providers/registry.ts";
import { createStepLoop } from "./step-loop.ts";

export interface FakeProvider {
  /** What is known about its models. */
  readonly info?: ModelInfo;
  readonly unavailable?: () => GatewayError | undefined;
}

/**
 * A run of the step loop on the scripted providers `script` and `other`, and on those that are described in `about`; each echoes
 * unless its script says something else. For tests only.
 */
export function fakeRun(models: readonly string[] = ["script/one"], about: Readonly<Record<string, FakeProvider>> = {}) {
  const clock = createVirtualClock();
  const asked: string[] = [];
  const scripted = (id: string) => {
    const model = createScriptedModel({ id });
    const { info, unavailable } = about[id] ?? {};
    const provider: ModelProvider = {
      ...model,
      ...(info === undefined ? {} : { about: () => info }),
      ...(unavailable === undefined ? {} : { unavailable }),
      stream(request) {
        asked.push(id);
        return model.stream(request);
      },
    };
    return { model, provider };
  };
  const made = new Map(["script", "other", ...Object.keys(about)].map((id) => [id, scripted(id)]));
  const loop = createStepLoop({
    models: createModelRegistry([...made.values()].map(({ provider }) => provider)),
    clock,
    logger: silentLogger,
  });
  const controller = new AbortController();
  const base: Omit<AgentRun, "journal"> = {
    turn: "tn_1",
    agent: "aria",
    conversation: DIRECT,
    models,
    thinking: "low",
    messages: [{ role: "user", text: "hi" }],
    tools: [],
    signal: controller.signal,
  };
  const journalFor = (over: Partial<AgentRun>, journal: Partial<AgentJournal> = {}): AgentJournal => {
    const { agent, conversation, signal, ...rest } = { ...base, ...over };
    return fakeAgentJournal({ ...rest, context: { clock, agent, conversation, signal } }, journal);
  };
  const run: AgentRun = { ...base, journal: journalFor({}) };
  const events: AgentEvent[] = [];
  return {
    clock,
    script: made.get("script")!.model,
    other: made.get("other")!.model,
    controller,
    loop,
    run,
    /** Everything that the run told. */
    events,
    /** The providers that were asked, in order. */
    asked,
    /** Runs to the end; `journal` replaces parts of the journal of a turn that starts for the first time. */
    async start(over: Partial<Omit<AgentRun, "journal">> = {}, journal: Partial<AgentJournal> = {}): Promise<readonly AgentEvent[]> {
      for await (const event of loop.run({ ...run, ...over, journal: journalFor(over, journal) })) events.push(event);
      return events;
    },
    /** The events, each as a few words. */
    short: (): readonly string[] => events.map(shortly),
  };
}

function shortly(event: AgentEvent): string {
  if (event.type === "text") return `text ${event.delta}`;
  if (event.type === "model-selected") return `model ${event.model}`;
  if (event.type === "model-failed") return `failed ${event.model} ${event.code}`;
  return event.type === "done" ? `done ${event.model}` : event.type;
}
