import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { telegramYaml } from "../support/gateway.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** What a platform's library does on a bad day: it throws where nobody can catch it, and rejects what nobody awaits. */
const BAD_DAY = `process.on("SIGUSR2", () => {
  setImmediate(() => { throw new TypeError("the library stumbled"); });
  void Promise.reject(new TypeError("the library gave up"));
});`;

it("an exception out of nowhere is logged, and every account goes on", async () => {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  const preload = join(folder, "bad-day.mjs");
  writeFileSync(config, telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url }));
  writeFileSync(preload, BAD_DAY);
  const args = ["--config", config, "--data", join(folder, "data")];
  const gateway = await startGatewayProcess(args, { NODE_OPTIONS: `--import ${preload}` });

  gateway.child.kill("SIGUSR2");
  await expect.poll(() => gateway.log(), { timeout: 10_000 }).toContain("the library stumbled");
  await expect.poll(() => gateway.log(), { timeout: 10_000 }).toContain("the library gave up");

  const ann = { userId: 1001, firstName: "Ann" };
  emulator.send(emulator.privateChat(ann), ann, { text: "still there?" });
  await emulator.waitFor((audit) => audit.visibleFromBot().length === 1, { timeoutMs: 20_000 });
  expect((await fetch(new URL("/healthz", gateway.address))).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
});
