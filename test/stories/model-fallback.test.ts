import { join } from "node:path";
import { LLMock } from "@copilotkit/aimock";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { controlClient } from "../../packages/gateway/src/control/client.ts";
import { controlSocketPath } from "../../packages/gateway/src/data-folder.ts";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const ANN = { userId: 1001, firstName: "Ann" };

it.each([
  ["429", 429, "limited"],
  ["529", 529, "overloaded"],
  ["401", 401, "authentication_error"],
])("a model that answers with %s gives way to another provider's, and explain says so", async (_name, status, type) => {
  const mock = new LLMock({ port: 0 });
  mock.on({ model: "broken" }, { error: { message: "PROVIDER-WORDS", type }, status, ...(status === 429 ? { retryAfter: 60 } : {}) });
  mock.on({ model: "claude-sonnet-4-5" }, { content: "Claude is here." });
  await mock.start();
  const emulator = await createTelegramEmulator();
  onTestFinished(async () => {
    await emulator.close();
    await mock.stop();
  });
  const folder = tempFolder();
  const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: `${mock.url}/v1` })
    .replace("providers:\n", `providers:\n  claude: { type: anthropic, baseUrl: "${mock.url}/v1", apiKey: claude-key-000 }\n`)
    .replace("primary: mock/echo", "primary: mock/broken, fallbacks: [claude/claude-sonnet-4-5]");
  const gateway = await gatewayFromYaml(folder, yaml);
  const chat = emulator.privateChat(ANN);
  emulator.send(chat, ANN, { text: "hello" });
  const answers = (): readonly string[] =>
    emulator.audit
      .visible(1001)
      .filter(({ from }) => from === "bot")
      .map(({ text }) => text);
  await emulator.waitFor(() => answers().length > 0, { timeoutMs: 15_000 });
  expect(answers()).toEqual(["Claude is here."]);
  const data = join(folder, "data");
  const operator = controlClient(controlSocketPath(data), data);
  await waitUntil(async () => (await gateway.status()).messages.dispositions["replied"] === 1, "the turn is over");
  const explained = await operator.explain({ message: "last" });
  expect(explained.decisions.at(-1)?.why).toMatch(/claude\/claude-sonnet-4-5 answered \(tried mock\/broken: MODEL_/);
  expect(JSON.stringify(explained)).not.toContain("PROVIDER-WORDS");
});
