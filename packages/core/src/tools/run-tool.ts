import {
  type ModelToolCall,
  type ModelToolSpec,
  type ToolContext,
  type ToolDefinition,
  describeError,
  type Logger,
} from "@trunkline/plugin-sdk";
import { untilAborted } from "../lanes/abort.ts";

/** Longest tool output that the model gets, in characters. */
export const TOOL_OUTPUT_CHARS = 64_000;

/** Time that one tool call has, in ms. */
export const TOOL_TIMEOUT_MS = 60_000;

/** What a call came to; an error is a short text for the model, never an exception. */
export interface ToolOutcome {
  readonly args: unknown;
  readonly text: string;
  readonly isError: boolean;
}

const specs = new WeakMap<ToolDefinition, ModelToolSpec>();

/** The tools as the model sees them. Each is described once: writing a JSON Schema costs more than the rest of a call's set-up. */
export function toolSpecs(tools: readonly ToolDefinition[]): readonly ModelToolSpec[] {
  return tools.map((tool) => {
    const known = specs.get(tool);
    if (known) return known;
    const parameters = tool.parameters["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    const spec = { name: tool.name, description: tool.description, parameters };
    specs.set(tool, spec);
    return spec;
  });
}

/**
 * Runs one tool call of a model: finds the tool, checks the arguments, bounds time and output. `before` is waited for when the tool is
 * about to run. Rejects only on abort, and with what `before` rejects with.
 */
export async function runTool(
  call: ModelToolCall,
  tools: readonly ToolDefinition[],
  context: ToolContext,
  logger: Logger,
  before: (tool: ToolDefinition) => Promise<void> = async () => {},
): Promise<ToolOutcome> {
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (!tool) return { args: undefined, text: `There is no tool "${call.name.slice(0, 64)}".`, isError: true };
  const args = await parseArgs(call, tool);
  if ("error" in args) return { args: undefined, text: args.error, isError: true };
  await before(tool);
  context.signal.throwIfAborted();
  const limit = new AbortController();
  const cancel = context.clock.timer(TOOL_TIMEOUT_MS, () => limit.abort());
  const signal = AbortSignal.any([context.signal, limit.signal]);
  try {
    const text = await untilAborted(tool.run(args.value, { ...context, signal }), signal);
    return { args: args.value, text: cap(text), isError: false };
  } catch (error) {
    context.signal.throwIfAborted();
    if (limit.signal.aborted)
      return { args: args.value, text: `The tool did not answer within ${TOOL_TIMEOUT_MS / 1000} s.`, isError: true };
    logger.warn({ tool: tool.name, error: describeError(error) }, "a tool failed");
    return { args: args.value, text: `The tool failed: ${describeError(error).slice(0, 300)}`, isError: true };
  } finally {
    cancel();
  }
}

async function parseArgs(call: ModelToolCall, tool: ToolDefinition): Promise<{ readonly value: unknown } | { readonly error: string }> {
  let raw: unknown;
  try {
    raw = call.args.trim() === "" ? {} : JSON.parse(call.args);
  } catch {
    return { error: `The arguments of "${tool.name}" are not valid JSON.` };
  }
  const result = await tool.parameters["~standard"].validate(raw);
  if (!result.issues) return { value: result.value };
  return {
    error: `The arguments of "${tool.name}" are invalid: ${result.issues
      .map((issue) => issue.message)
      .join("; ")
      .slice(0, 500)}`,
  };
}

function cap(text: string): string {
  return text.length <= TOOL_OUTPUT_CHARS ? text : `${text.slice(0, TOOL_OUTPUT_CHARS)}\n(the rest was cut)`;
}
