import { createHash } from "node:crypto";
import type { AgentRun, ModelToolCall } from "@trunkline/plugin-sdk";
import { toolSpecs } from "../tools/run-tool.ts";

/** What a run asks a model with, as a hash: a turn that is started again notices that configuration or prompt have changed. */
export function runHash(run: Pick<AgentRun, "models" | "params" | "thinking" | "messages" | "tools">): string {
  const { models, params, thinking, messages, tools } = run;
  return hashOf(JSON.stringify({ models, params, thinking, messages, tools: toolSpecs(tools) }, withoutBytes));
}

/** What a tool is asked for, as a hash. */
export function callHash({ id, name, args }: ModelToolCall): string {
  return hashOf(JSON.stringify([id, name, args]));
}

/** An image stands for its bytes by its size: they can be many, and come from a file that does not change. */
function withoutBytes(key: string, value: unknown): unknown {
  return key === "base64" && typeof value === "string" ? value.length : value;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
