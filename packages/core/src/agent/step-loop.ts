import {
  type AgentEvent,
  type AgentRun,
  type AgentRuntime,
  type Clock,
  GatewayError,
  type Logger,
  type ModelEvent,
  type ModelMessage,
  type ModelToolCall,
  type ModelUsage,
  type ToolContext,
  toGatewayError,
} from "@trunkline/plugin-sdk";
import type { ModelRegistry } from "../providers/registry.ts";
import { runTool, toolSpecs } from "../tools/run-tool.ts";
import { untilAborted } from "../lanes/abort.ts";

/** Model calls that one turn may make. */
export const MAX_STEPS = 20;

export interface StepLoopDeps {
  readonly models: ModelRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The built-in agent runtime: model call, tools, model call, until the model is done. The loop is ours, so that it can be journaled and stopped between steps. */
export function createStepLoop(deps: StepLoopDeps): AgentRuntime {
  return { run: (run) => runSteps(run, deps) };
}

async function* runSteps(run: AgentRun, deps: StepLoopDeps): AsyncGenerator<AgentEvent> {
  const added: ModelMessage[] = [];
  const usage = { inputTokens: 0, outputTokens: 0 };
  let model: string | undefined;
  for (let n = 1; n <= MAX_STEPS; n += 1) {
    const step: Step = yield* callWithFallback(run, added, model, deps);
    model = step.model;
    usage.inputTokens += step.usage?.inputTokens ?? 0;
    usage.outputTokens += step.usage?.outputTokens ?? 0;
    added.push({ role: "assistant", text: step.text, ...(step.calls.length > 0 ? { toolCalls: step.calls } : {}) });
    if (step.text !== "") yield { type: "message-end", text: step.text };
    if (step.calls.length === 0) {
      yield { type: "done", messages: added, usage, model };
      return;
    }
    for (const call of step.calls) added.push(yield* callTool(call, run, deps));
  }
  throw new GatewayError("MODEL_STEPS_EXHAUSTED", { detail: { limit: MAX_STEPS } });
}

interface Step {
  readonly model: string;
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly usage: ModelUsage | undefined;
}

/** Longest wait for a provider that says when it can be asked again, ms; a longer one goes to the next model. */
const SHORT_WAIT_MS = 5000;

/** Wait before the one repetition of a call that broke off before it said anything, ms. */
const REPEAT_AFTER_MS = 250;

/**
 * One model call. A transient failure before anything was streamed is repeated once, then the candidate gives way to the next one;
 * once text was streamed the error stands, so that no answer starts again from the top. A model that answered keeps the rest of the
 * turn.
 */
async function* callWithFallback(
  run: AgentRun,
  added: readonly ModelMessage[],
  current: string | undefined,
  deps: StepLoopDeps,
): AsyncGenerator<AgentEvent, Step> {
  const candidates = current === undefined ? run.models : [current, ...run.models.filter((model) => model !== current)];
  let last: GatewayError | undefined;
  for (const candidate of candidates) {
    if (candidate !== current) yield { type: "model-selected", model: candidate };
    for (const attempt of [1, 2]) {
      const outcome: CallOutcome = yield* tryCall(candidate, run, added, deps);
      if ("step" in outcome) return outcome.step;
      last = outcome.error;
      if (outcome.streamed || last.code === "MODEL_REFUSED") throw last;
      const wait = last.retryAfterMs ?? REPEAT_AFTER_MS;
      if (attempt === 2 || !last.retryable || wait > SHORT_WAIT_MS) break;
      await deps.clock.sleep(wait, run.signal);
    }
  }
  throw last ?? new GatewayError("MODEL_UNKNOWN", { detail: { model: "" } });
}

type CallOutcome = { readonly step: Step } | { readonly error: GatewayError; readonly streamed: boolean };

async function* tryCall(
  candidate: string,
  run: AgentRun,
  added: readonly ModelMessage[],
  deps: StepLoopDeps,
): AsyncGenerator<AgentEvent, CallOutcome> {
  let streamed = false;
  const call = callModel(candidate, run, added, deps);
  try {
    for (;;) {
      const next = await untilAborted(call.next(), run.signal);
      if (next.done) return { step: next.value };
      streamed ||= next.value.type === "text";
      yield next.value;
    }
  } catch (error) {
    run.signal.throwIfAborted();
    const failure = toGatewayError(error, "MODEL_BAD_RESPONSE", { provider: candidate });
    deps.logger.warn(
      { turn: run.turn, model: candidate, code: failure.code, detail: failure.detail, error: failure.message },
      "a model call failed",
    );
    return { error: failure, streamed };
  } finally {
    // Whoever stops listening ends the call with it. Not awaited: a deaf provider never lets go.
    call.return(undefined as never).catch(() => {});
  }
}

async function* callModel(
  reference: string,
  run: AgentRun,
  added: readonly ModelMessage[],
  deps: StepLoopDeps,
): AsyncGenerator<AgentEvent, Step> {
  const { provider, model } = deps.models.resolve(reference);
  const text: string[] = [];
  const calls: ModelToolCall[] = [];
  let end: Extract<ModelEvent, { type: "end" }> | undefined;
  const request = {
    model,
    messages: [...run.messages, ...added],
    tools: toolSpecs(run.tools),
    thinking: run.thinking,
    ...(run.params === undefined ? {} : { params: run.params }),
    signal: run.signal,
  };
  for await (const event of provider.stream(request)) {
    if (event.type === "text") text.push(event.delta);
    if (event.type === "tool-call") calls.push(event.call);
    else if (event.type === "end") end = event;
    else yield event;
  }
  if (end?.reason === "refusal") throw new GatewayError("MODEL_REFUSED", { detail: { model: reference } });
  return { model: reference, text: text.join(""), calls, usage: end?.usage };
}

async function* callTool(call: ModelToolCall, run: AgentRun, deps: StepLoopDeps): AsyncGenerator<AgentEvent, ModelMessage> {
  yield { type: "tool-start", callId: call.id, name: call.name, args: call.args };
  const context: ToolContext = { clock: deps.clock, conversation: run.conversation, agent: run.agent, signal: run.signal };
  const outcome = await runTool(call, run.tools, context, deps.logger);
  yield { type: "tool-end", callId: call.id, name: call.name, text: outcome.text, isError: outcome.isError };
  return { role: "tool", callId: call.id, name: call.name, text: outcome.text, isError: outcome.isError };
}
