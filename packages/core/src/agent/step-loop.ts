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
  type ModelStep,
  type ModelToolCall,
  type ModelUsage,
  toGatewayError,
} from "@trunkline/plugin-sdk";
import type { ModelRegistry } from "../providers/registry.ts";
import { resolveThinking } from "../providers/thinking.ts";
import { toolSpecs } from "../tools/run-tool.ts";
import { untilAborted } from "../lanes/abort.ts";
import { goOnBehind, stepBehind } from "./continuation.ts";
import { costOf } from "./cost.ts";
import { holdsMore, judgeModelError, SHORT_WAIT_MS } from "./fallback.ts";
import { forTranscript, messagesFor } from "./model-messages.ts";

/** Model calls that one turn may make. */
export const MAX_STEPS = 20;

/** Tool calls of one step that are made; with MAX_STEPS this bounds what a turn does and its journal keeps. */
export const MAX_CALLS = 32;

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
    added.push(...(await untilAborted(run.journal.heard(), run.signal)));
    const replayed = run.journal.replay();
    // A start before this one asked it; whoever names the model has to know.
    if (replayed !== undefined && replayed.model !== model) yield { type: "model-selected", model: replayed.model };
    const step: ModelStep = replayed ?? (yield* makeStep(run, added, model, deps));
    model = step.model;
    usage = sum(usage, step.usage);
    added.push(step.message);
    const { text, toolCalls } = step.message;
    if (text !== "") yield { type: "message-end", text };
    if (toolCalls === undefined) {
      yield { type: "done", messages: added.map(forTranscript), usage, model };
      return;
    }
    for (const [index, call] of toolCalls.entries()) added.push(index < MAX_CALLS ? yield* callTool(call, run) : tooMany(call));
  }
  throw new GatewayError("MODEL_STEPS_EXHAUSTED", { detail: { limit: MAX_STEPS } });
}

/** Makes a step that no earlier start finished; behind what such a start delivered of it, when it did. */
async function* makeStep(
  run: AgentRun,
  added: readonly ModelMessage[],
  current: string | undefined,
  deps: StepLoopDeps,
): AsyncGenerator<AgentEvent, ModelStep> {
  const delivered = run.journal.delivered();
  const asked = delivered === "" ? added : [...added, ...goOnBehind(delivered)];
  const made: ModelStep = yield* callWithFallback(run, asked, current, deps);
  const step = delivered === "" ? made : stepBehind(delivered, made);
  if (step.message.toolCalls !== undefined) run.journal.record(step);
  return step;
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
): AsyncGenerator<AgentEvent, ModelStep> {
  // A turn that is started again may have begun with a model that is no longer wanted.
  const candidates = [...new Set(current !== undefined && run.models.includes(current) ? [current, ...run.models] : run.models)];
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

type CallOutcome = { readonly step: ModelStep } | { readonly error: GatewayError; readonly streamed: boolean };

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
): AsyncGenerator<AgentEvent, ModelStep> {
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
  return {
    model: reference,
    message: {
      role: "assistant",
      text: wellFormed(text.join("")),
      ...(calls.length > 0 ? { toolCalls: calls } : {}),
      ...(end?.opaque === undefined ? {} : { opaque: { model: reference, data: end.opaque } }),
    },
    ...(end?.usage === undefined ? {} : { usage: end.usage }),
  };
}

/** A text without halves of characters: nobody can send them, in UTF-8, to a platform or to the next model. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function sum(left: ModelUsage, right: ModelUsage | undefined): ModelUsage {
  const cached = (left.cachedTokens ?? 0) + (right?.cachedTokens ?? 0);
  return {
    inputTokens: left.inputTokens + (right?.inputTokens ?? 0),
    outputTokens: left.outputTokens + (right?.outputTokens ?? 0),
    ...(cached > 0 ? { cachedTokens: cached } : {}),
  };
}

function tooMany({ id, name }: ModelToolCall): ModelMessage {
  return { role: "tool", callId: id, name, text: `Not done: at most ${MAX_CALLS} calls are made at once.`, isError: true };
}

async function* callTool(call: ModelToolCall, run: AgentRun): AsyncGenerator<AgentEvent, ModelMessage> {
  yield { type: "tool-start", callId: call.id, name: call.name, args: call.args };
  const { text, isError } = await run.journal.callTool(call);
  yield { type: "tool-end", callId: call.id, name: call.name, text, isError };
  return { role: "tool", callId: call.id, name: call.name, text, isError };
}
