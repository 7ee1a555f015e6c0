import { AGENT_RUNTIME, type AgentRuntime, definePlugin, MODELS, TOOLS } from "@trunkline/plugin-sdk";
import { callTool, createScriptedModel, createTelegramEmulator, createTextTool, say } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { tempFolder } from "../support/temp-folder.ts";

const PERSON = { userId: 1001, firstName: "Ann" };

/** What Ann reads after one message, on a gateway with the plugin. */
async function answerWith(plugin: ReturnType<typeof definePlugin>, model = "demo/guide"): Promise<string | undefined> {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: "http://127.0.0.1:9/v1" });
  await gatewayFromYaml(tempFolder(), yaml.replace("mock/echo", model), { plugins: [plugin] });
  emulator.send(emulator.privateChat(PERSON), PERSON, { text: "hello" });
  await emulator.waitFor((audit) => audit.visibleFromBot().length > 0);
  return emulator.audit.visibleFromBot()[0]?.text;
}

it("a plugin brings a tool and a model of its own, and the configuration may name the model", async () => {
  const model = createScriptedModel({ id: "mine" });
  model.next(callTool("shout", { text: "hi" }));
  model.next(say("It says HI."));
  const shout = createTextTool("shout", async ({ text }) => text.toUpperCase());
  const plugin = definePlugin({
    name: "test",
    version: "1.0.0",
    register(context) {
      context.contribute(MODELS, model);
      context.contribute(TOOLS, shout);
    },
  });
  expect(await answerWith(plugin, "mine/any")).toBe("It says HI.");
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", text: "HI" });
});

it("a plugin that provides an agent runtime runs the turns in the place of the built-in one", async () => {
  const runtime: AgentRuntime = {
    async *run({ messages }) {
      const text = `scripted: ${messages.at(-1)?.text ?? ""}`;
      yield { type: "message-end", text };
      yield { type: "done", messages: [{ role: "assistant", text }], usage: { inputTokens: 0, outputTokens: 0 }, model: "test/none" };
    },
  };
  const plugin = definePlugin({ name: "test", version: "1.0.0", register: (context) => context.provide(AGENT_RUNTIME, runtime) });
  expect(await answerWith(plugin)).toBe("scripted: hello");
});
