import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { controlClient } from "../../packages/gateway/src/control/client.ts";
import { controlSocketPath } from "../../packages/gateway/src/data-folder.ts";
import { telegramYaml } from "../support/gateway.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { modelServer } from "../support/model-server.ts";
import { seededRandom } from "../support/random.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

/** Kills in `npm test`; TRUNKLINE_KILLS and TRUNKLINE_SEED change them by hand. */
const KILLS = Number(process.env.TRUNKLINE_KILLS ?? 50);
const SEED = Number(process.env.TRUNKLINE_SEED ?? 20261130);
const CHATS = 6;
const PER_CHAT = 2;

/** Where a kill strikes. `after-send`: the platform has the message and we have no receipt. */
const KILL_POINTS = ["random", "after-send", "before-send"] as const;
type KillPoint = (typeof KILL_POINTS)[number];

describe("kill -9 in the middle of bursts", { timeout: 600_000 }, () => {
  it(`leaves nothing unanswered after ${KILLS} kills`, async () => {
    const random = seededRandom(SEED);
    const emulator = await createTelegramEmulator({ seed: SEED });
    onTestFinished(() => emulator.close());
    const model = await modelServer();
    const folder = tempFolder();
    const config = join(folder, "trunkline.yaml");
    writeFileSync(config, telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url }));
    const args = ["--config", config, "--data", join(folder, "data")];
    const doubles = new Map<KillPoint, { kills: number; doubles: number }>(KILL_POINTS.map((point) => [point, { kills: 0, doubles: 0 }]));

    let gateway = await startGatewayProcess(args);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const point = KILL_POINTS[kill % KILL_POINTS.length]!;
      const before = doublesOf(emulator);
      burst(emulator, kill);
      await killAt(point, gateway, emulator, random);
      gateway = await startGatewayProcess(args);
      await waitUntil(
        () => answeredTexts(emulator).size === (kill + 1) * CHATS * PER_CHAT,
        `every answer after kill ${kill} (${point})\n${gateway.log().slice(-2000)}`,
        30_000,
      );
      await waitUntil(async () => (await statusOf(folder)).openParts === 0, `an empty outbox after kill ${kill}`, 30_000);
      const row = doubles.get(point)!;
      row.kills += 1;
      row.doubles += doublesOf(emulator) - before;
    }
    console.log(
      `doubles per kill point (seed ${SEED}):\n${[...doubles].map(([point, row]) => `  ${point.padEnd(12)} ${row.kills} kills, ${row.doubles} doubles`).join("\n")}`,
    );

    expectOrder(emulator);
    const { messages } = await statusOf(folder);
    const ended = Object.values(messages.dispositions).reduce((sum, count) => sum + count, 0);
    expect(messages.accepted).toBe(emulator.audit.injected);
    expect(messages.open + ended).toBe(messages.accepted);
    expect(messages.dispositions).toEqual({ replied: KILLS * CHATS * PER_CHAT });
    expect(await gateway.stop()).toBe(0);
  });
});

function burst(emulator: TelegramEmulator, kill: number): void {
  for (let number = 0; number < PER_CHAT; number += 1) {
    for (let chat = 1; chat <= CHATS; chat += 1) {
      const person = { userId: 1000 + chat, firstName: `P${chat}` };
      emulator.send(emulator.privateChat(person), person, { text: `c${chat}m${kill * PER_CHAT + number}` });
    }
  }
}

/** Kills the gateway at the point: in the middle of a held send, or after a seeded number of sends and a little more. */
async function killAt(point: KillPoint, gateway: GatewayProcess, emulator: TelegramEmulator, random: () => number): Promise<void> {
  if (point === "random") {
    const calls = emulator.audit.calls().length + Math.floor(random() * CHATS * PER_CHAT * 2);
    await emulator.waitFor((audit) => audit.calls().length >= calls || audit.visible().length > 0).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, random() * 60)); // where it strikes is the point of the test
    return gateway.kill();
  }
  const fault = emulator.faults.add({
    kind: point === "after-send" ? "hold-after" : "hold-before",
    method: "sendMessage",
    probability: 0.5,
  });
  await fault.held();
  await gateway.kill();
  fault.remove();
}

function answers(emulator: TelegramEmulator) {
  return emulator.audit.visible().filter((message) => message.from === "bot");
}

function answeredTexts(emulator: TelegramEmulator): ReadonlySet<string> {
  return new Set(answers(emulator).map((message) => `${message.chatId} ${message.text}`));
}

function doublesOf(emulator: TelegramEmulator): number {
  return answers(emulator).length - answeredTexts(emulator).size;
}

/** First sights of a chat's answers are in the order of its messages, whatever was sent twice. */
function expectOrder(emulator: TelegramEmulator): void {
  for (let chat = 1; chat <= CHATS; chat += 1) {
    const seen = answers(emulator)
      .filter((message) => message.chatId === 1000 + chat)
      .map((message) => Number(/m(\d+)/.exec(message.text)?.[1]));
    const first = [...new Set(seen)];
    expect(first).toEqual(first.toSorted((a, b) => a - b));
  }
}

/** Asks the gateway over its socket, as the command line does. */
function statusOf(folder: string) {
  const data = join(folder, "data");
  return controlClient(controlSocketPath(data), data).status({});
}
