import { createTelegramEmulator, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../store/databases.ts";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const CHATS = 12;
const MESSAGES = 5;

/** Every chat says m0, m1, ...; the name of the chat is in each text, so that a mixed-up answer shows. */
function burst(emulator: TelegramEmulator): void {
  for (let number = 0; number < MESSAGES; number += 1) {
    for (let chat = 1; chat <= CHATS; chat += 1) {
      const person = { userId: 1000 + chat, firstName: `P${chat}` };
      emulator.send(emulator.privateChat(person), person, { text: `c${chat}m${number}` });
    }
  }
}

/** The answers of a chat as they can be seen, each as the text that it answers. */
function answersOf(emulator: TelegramEmulator, chat: number): readonly string[] {
  return emulator.audit
    .visible(1000 + chat)
    .filter((message) => message.from === "bot")
    .map((message) => /You said (\S+),/.exec(message.text)?.[1] ?? message.text);
}

describe("a restart of the database in the middle of a burst", { timeout: 120_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  it.each([{ mode: "fast" }, { mode: "immediate" }] as const)(
    "($mode) loses no answer, doubles none, and keeps their order",
    async ({ mode }) => {
      const emulator = await createTelegramEmulator({ seed: 7 });
      onTestFinished(() => emulator.close());
      const model = await modelServer();
      const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url });
      const gateway = await gatewayFromYaml(tempFolder(), yaml, { storeUrl: await server.createDatabase() });
      const seen = (): number => emulator.audit.visibleFromBot().length;
      burst(emulator);
      for (const share of [0.2, 0.6]) {
        await waitUntil(() => seen() >= CHATS * MESSAGES * share, `${share} of the answers`, 60_000);
        await server.end(mode);
        await waitUntil(async () => (await fetch(`${gateway.url}/readyz`)).status === 503, "not ready without a database");
        await server.start();
        await waitUntil(async () => (await fetch(`${gateway.url}/readyz`)).status === 200, "ready again");
      }
      await waitUntil(() => seen() >= CHATS * MESSAGES, "all answers", 60_000);
      await waitUntil(async () => (await gateway.status()).openParts === 0, "an empty outbox");
      const expected = Array.from({ length: MESSAGES }, (_, number) => number);
      for (let chat = 1; chat <= CHATS; chat += 1) {
        expect(answersOf(emulator, chat)).toEqual(expected.map((number) => `c${chat}m${number}`));
      }
      const { messages, ambiguity } = await gateway.status();
      console.log(
        `${mode} restarts of PostgreSQL: ${CHATS * MESSAGES} messages, ${JSON.stringify(messages)}, ${JSON.stringify(ambiguity)}`,
      );
      expect(messages).toMatchObject({ accepted: emulator.audit.injected, open: 0, dispositions: { replied: CHATS * MESSAGES } });
      expect(ambiguity.ambiguous).toBe(0);
    },
  );
});
