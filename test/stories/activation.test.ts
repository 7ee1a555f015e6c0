import { createTelegramEmulator, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const ANN: Person = { userId: 1001, firstName: "Ann" };
const BOB: Person = { userId: 1002, firstName: "Bob" };
const GROUP = -100500;
const ACCOUNT = `        dmPolicy: disabled
        groups:
          "${GROUP}": { requireMention: true }
          "${GROUP}:7": { requireMention: false }
`;
const EXTRA = 'commands: { allowFrom: ["telegram:main:1001"] }\n';

async function inGroup() {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url, account: ACCOUNT, extra: EXTRA });
  const gateway = await gatewayFromYaml(folder, yaml);
  const group = emulator.group({ id: GROUP, title: "Team", supergroup: true, forum: true });
  emulator.setTopic(group, 7, "open");
  const at = `@${emulator.bot.username}`;
  const ended = async (disposition: string, count: number): Promise<void> =>
    waitUntil(async () => ((await gateway.status()).messages.dispositions[disposition] ?? 0) === count, `${count} ${disposition}`);
  return { emulator, gateway, group, folder, yaml, at, ended };
}

async function told(emulator: TelegramEmulator, count: number): Promise<readonly string[]> {
  const texts = () =>
    emulator.audit
      .visible(GROUP)
      .filter(({ from }) => from === "bot")
      .map(({ text }) => text);
  await emulator.waitFor(() => texts().length >= count, { timeoutMs: 15_000 });
  return texts();
}

it("is chosen by somebody authorised, beats the configuration, and survives a reset and a restart", async () => {
  const { emulator, gateway, group, folder, yaml, at, ended } = await inGroup();
  emulator.send(group, ANN, { text: "nobody is meant" });
  await ended("not-mentioned", 1);
  emulator.send(group, BOB, { text: `${at} /activation always` });
  expect((await told(emulator, 1))[0]).toContain("not use commands");
  emulator.send(group, ANN, { text: `${at} /activation always` });
  expect((await told(emulator, 2))[1]).toContain("every message");
  emulator.send(group, BOB, { text: "good morning" });
  expect((await told(emulator, 3))[2]).toContain("good morning");
  emulator.send(group, ANN, { text: "/new" });
  expect((await told(emulator, 4))[3]).toContain("Fresh start");
  await gateway.stop();

  const again = await gatewayFromYaml(folder, yaml);
  emulator.send(group, BOB, { text: "and after the restart?" });
  expect((await told(emulator, 5))[4]).toContain("after the restart");
  emulator.send(group, ANN, { text: "/activation mention" });
  expect((await told(emulator, 6))[5]).toContain("only when somebody means me");
  emulator.send(group, BOB, { text: "quiet again" });
  await waitUntil(async () => (await again.status()).messages.dispositions["not-mentioned"] === 2, "the gate is closed again");
});

it("a topic's own rule wins over its group's, and the group's over its default", async () => {
  const { emulator, group, ended } = await inGroup();
  emulator.send(group, ANN, { text: "in the topic", threadId: 7 });
  expect((await told(emulator, 1))[0]).toContain("in the topic");
  emulator.send(group, ANN, { text: "in the group" });
  await ended("not-mentioned", 1);
});
