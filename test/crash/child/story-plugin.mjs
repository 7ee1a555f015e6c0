// @ts-check
import { AGENT_RUNTIME, definePlugin, MODELS, TOOLS } from "@trunkline/plugin-sdk";
import { createScriptedModel, say } from "@trunkline/plugin-sdk/testing";
import { scriptedAgent } from "./scripted-agent.mjs";
import { scriptOf } from "./scripts.mjs";
import { storyTools } from "./story-tools.mjs";

/**
 * What the stories need beside the gateway: a model that answers by script, and tools that leave marks. All of it keeps nothing in memory,
 * so it is the same after a restart.
 * @param {{ toolLog: string, scriptedAgent: boolean }} options `toolLog`: where tools leave their marks. `scriptedAgent`: a runtime that
 *   sends blocks takes the place of the built-in one.
 */
export function storyPlugin({ toolLog, scriptedAgent: ownRuntime }) {
  return definePlugin({
    name: "crash-stories",
    version: "0.0.0",
    register(context) {
      context.contribute(MODELS, createScriptedModel({ id: "script", otherwise: answer }));
      for (const tool of storyTools(toolLog)) context.contribute(TOOLS, tool);
      if (ownRuntime) context.provide(AGENT_RUNTIME, scriptedAgent);
    },
  });
}

/** @param {import("@trunkline/plugin-sdk").ModelRequest} request */
function answer({ messages }) {
  const asked = messages.findLastIndex((message) => message.role === "user" && scriptOf(message.text) !== undefined);
  const script = scriptOf(messages[asked]?.text ?? "");
  return script?.(messages.slice(asked + 1)) ?? [say("There is no story about this.")];
}
