import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { telegramYaml } from "../support/gateway.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

it("drains at SIGTERM: what runs is answered, what waits is answered after the next start, nothing twice", async () => {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  writeFileSync(config, telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url }));
  const args = ["--config", config, "--data", join(folder, "data")];
  const answers = () =>
    emulator.audit
      .visible()
      .filter((message) => message.from === "bot")
      .map((message) => message.text);

  const first = await startGatewayProcess(args);
  const ann = { userId: 1001, firstName: "Ann" };
  for (let number = 0; number < 20; number += 1) emulator.send(emulator.privateChat(ann), ann, { text: `m${number}` });
  await emulator.waitFor((audit) => audit.visibleFromBot().length > 0);
  expect(await first.stop()).toBe(0);

  const second = await startGatewayProcess(args);
  await emulator.waitFor((audit) => audit.visibleFromBot().length >= 20, { timeoutMs: 20_000 });
  expect(answers().map((text) => /said (\w+)/.exec(text)?.[1])).toEqual(Array.from({ length: 20 }, (_, number) => `m${number}`));
  expect(await second.stop()).toBe(0);
});
