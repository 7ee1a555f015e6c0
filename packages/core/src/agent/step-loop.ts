import {
  type AgentEvent,
  type AgentRun,
  type AgentRuntime,
  type Clock,
  describeError,
  type ErrorCode,
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
import { resolveThinking } from "../providers/thinking.ts";
import { runTool, toolSpecs } from "../tools/run-tool.ts";
import { untilAborted } from "../lanes/abort.ts";
import { costOf } from "./cost.ts";
import { holdsMore, judgeModelError, SHORT_WAIT_MS } from "./fallback.ts";
import { forTranscript, messagesFor } from "./model-messages.ts";

/** Model calls that one turn may make. */
export const MAX_STEPS = 20;

export interface StepLoopDeps {
  readonly models: ModelRegistry;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each model call when it is over, unless it was stopped. */
  readonly onCall?: (call: ModelCall) => void;
}

/** A model call that is over, for measuring. */
export interface ModelCall {
  /** The turn that it was made for. */
  readonly turn: string;
  /** `provider/model`. */
  readonly model: string;
  /** From the request to the end of the answer. */
  readonly ms: number;
  /** Why it failed; absent when it did not. */
  readonly code?: ErrorCode;
  /** As the provider reported it. */
  readonly usage?: ModelUsage | undefined;
  /** US dollars by the model's listed price; absent where the price or the usage is not known. */
  readonly cost?: number | undefined;
}

/** The built-in agent runtime: model call, tools, model call, until the model is done. The loop is ours, so that it can be journaled and stopped between steps. */
export function createStepLoop(deps: StepLoopDeps): AgentRuntime {
  return {
    run: (run) => runSteps(run, deps),
    seesImages: (models) => models.some((model) => deps.models.about(model)?.input?.includes("image") ?? false),
  };
}

async function* runSteps(run: AgentRun, deps: StepLoopDeps): AsyncGenerator<AgentEvent> {
  const added: ModelMessage[] = [];
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  let model: string | undefined;
  for (let n = 1; n <= MAX_STEPS; n += 1) {
    const step: Step = yield* callWithFallback(run, added, model, deps);
    model = step.model;
    usage = sum(usage, step.usage);
    added.push({
      role: "assistant",
      text: step.text,
      ...(step.calls.length > 0 ? { toolCalls: step.calls } : {}),
      ...(step.opaque === undefined ? {} : { opaque: { model, data: step.opaque } }),
    });
    if (step.text !== "") yield { type: "message-end", text: step.text };
    if (step.calls.length === 0) {
      yield { type: "done", messages: added.map(forTranscript), usage, model };
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
  readonly opaque: unknown;
}

/**
 * One model call, by the first candidate that can answer. A candidate whose provider cannot be asked is waited for when that is short,
 * else passed over; a conversation that is too long goes only to models that hold more. A model that answered keeps the rest of the turn.
 */
async function* callWithFallback(
  run: AgentRun,
  added: readonly ModelMessage[],
  current: string | undefined,
  deps: StepLoopDeps,
): AsyncGenerator<AgentEvent, Step> {
  const candidates = current === undefined ? [...new Set(run.models)] : [current, ...run.models.filter((model) => model !== current)];
  let last: GatewayError | undefined;
  let tooLongFor: string | undefined;
  for (const candidate of candidates) {
    if (tooLongFor !== undefined && !holdsMore(deps.models.about(candidate), deps.models.about(tooLongFor))) continue;
    const resting = deps.models.unavailable(candidate);
    if (resting !== undefined && (resting.retryAfterMs ?? Infinity) > SHORT_WAIT_MS) {
      last = resting;
      yield failed(candidate, resting);
      continue;
    }
    if (resting !== undefined) await deps.clock.sleep(resting.retryAfterMs ?? 0, run.signal);
    for (let attempt = 1; ; attempt += 1) {
      if (candidate !== current || attempt > 1) yield { type: "model-selected", model: candidate };
      const outcome: CallOutcome = yield* tryCall(candidate, run, added, deps);
      if ("step" in outcome) return outcome.step;
      last = outcome.error;
      yield failed(candidate, last);
      const verdict = judgeModelError(last, { attempt, seen: outcome.streamed && (run.isSeen?.() ?? true) });
      if (verdict.do === "stop") throw last;
      if (last.code === "MODEL_CONTEXT_OVERFLOW") tooLongFor = candidate;
      if (verdict.do === "next") break;
      await deps.clock.sleep(verdict.waitMs, run.signal);
    }
  }
  throw last ?? new GatewayError("MODEL_UNKNOWN", { detail: { model: "" } });
}

function failed(model: string, { code, message }: GatewayError): AgentEvent {
  return { type: "model-failed", model, code, why: message };
}

type CallOutcome = { readonly step: Step } | { readonly error: GatewayError; readonly streamed: boolean };

async function* tryCall(
  candidate: string,
  run: AgentRun,
  added: readonly ModelMessage[],
  deps: StepLoopDeps,
): AsyncGenerator<AgentEvent, CallOutcome> {
  let streamed = false;
  const began = deps.clock.monotonic();
  const ms = (): number => deps.clock.monotonic() - began;
  const call = callModel(candidate, run, added, deps);
  try {
    for (;;) {
      const next = await untilAborted(call.next(), run.signal);
      if (next.done) {
        const { usage } = next.value;
        deps.onCall?.({ turn: run.turn, model: candidate, ms: ms(), usage, cost: costOf(usage, deps.models.about(candidate)?.price) });
        return { step: next.value };
      }
      streamed ||= next.value.type === "text";
      yield next.value;
    }
  } catch (error) {
    run.signal.throwIfAborted();
    const failure = toGatewayError(error);
    deps.onCall?.({ turn: run.turn, model: candidate, ms: ms(), code: failure.code });
    deps.logger.warn(
      { turn: run.turn, model: candidate, code: failure.code, detail: failure.detail, error: describeError(failure) },
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
  const info = deps.models.about(reference);
  const text: string[] = [];
  const calls: ModelToolCall[] = [];
  let end: Extract<ModelEvent, { type: "end" }> | undefined;
  const request = {
    model,
    messages: messagesFor(reference, info, [...run.messages, ...added]),
    tools: toolSpecs(run.tools),
    thinking: resolveThinking(run.thinking, info?.defaultThinking),
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
  return { model: reference, text: text.join(""), calls, usage: end?.usage, opaque: end?.opaque };
}

function sum(left: ModelUsage, right: ModelUsage | undefined): ModelUsage {
  const cached = (left.cachedTokens ?? 0) + (right?.cachedTokens ?? 0);
  return {
    inputTokens: left.inputTokens + (right?.inputTokens ?? 0),
    outputTokens: left.outputTokens + (right?.outputTokens ?? 0),
    ...(cached > 0 ? { cachedTokens: cached } : {}),
  };
}

async function* callTool(call: ModelToolCall, run: AgentRun, deps: StepLoopDeps): AsyncGenerator<AgentEvent, ModelMessage> {
  yield { type: "tool-start", callId: call.id, name: call.name, args: call.args };
  const context: ToolContext = { clock: deps.clock, conversation: run.conversation, agent: run.agent, signal: run.signal };
  const outcome = await runTool(call, run.tools, context, deps.logger);
  yield { type: "tool-end", callId: call.id, name: call.name, text: outcome.text, isError: outcome.isError };
  return { role: "tool", callId: call.id, name: call.name, text: outcome.text, isError: outcome.isError };
}
