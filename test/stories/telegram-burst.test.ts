import { createTelegramEmulator, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const CHATS = 50;
const MESSAGES = 10;

/** Every chat says m1, m2, ... at once; the name of the chat is in each text, so that a mixed-up answer shows. */
function burst(emulator: TelegramEmulator, chats: number, messages: number, from = 0): void {
  for (let number = from; number < from + messages; number += 1) {
    for (let chat = 1; chat <= chats; chat += 1) {
      const person = { userId: 1000 + chat, firstName: `P${chat}` };
      emulator.send(emulator.privateChat(person), person, { text: textOf(chat, number) });
    }
  }
}

function textOf(chat: number, number: number): string {
  return `c${chat}m${number}`;
}

/** The answers of a chat, in the order in which they can be seen; each as the text that it answers. */
function answersOf(emulator: TelegramEmulator, chat: number): readonly string[] {
  return emulator.audit
    .visible(1000 + chat)
    .filter((message) => message.from === "bot")
    .map((message) => /You said (\S+),/.exec(message.text)?.[1] ?? message.text);
}

async function emulated(): Promise<TelegramEmulator> {
  const emulator = await createTelegramEmulator({ seed: 7 });
  onTestFinished(() => emulator.close());
  return emulator;
}

async function untilAnswered(emulator: TelegramEmulator, count: number): Promise<void> {
  await waitUntil(
    () =>
      new Set(
        emulator.audit
          .visible()
          .filter((message) => message.from === "bot")
          .map((message) => message.text),
      ).size >= count,
    `${count} answers`,
    90_000,
  );
}

describe("500 messages from 50 chats at once on Telegram", { timeout: 120_000 }, () => {
  it("answers each once, in order per chat", async () => {
    const emulator = await emulated();
    const model = await modelServer();
    const gateway = await gatewayFromYaml(
      tempFolder(),
      telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url }),
    );
    burst(emulator, CHATS, MESSAGES);
    await untilAnswered(emulator, CHATS * MESSAGES);
    for (let chat = 1; chat <= CHATS; chat += 1) {
      expect(answersOf(emulator, chat)).toEqual(Array.from({ length: MESSAGES }, (_, number) => textOf(chat, number)));
    }
    const { messages } = await gateway.status();
    expect(messages).toMatchObject({
      accepted: emulator.audit.injected,
      open: 0,
      duplicates: 0,
      dispositions: { replied: CHATS * MESSAGES },
    });
  });

  it("does so with 10 % 429s, duplicate updates and a restart of the platform in between", async () => {
    const emulator = await emulated();
    const model = await modelServer();
    const gateway = await gatewayFromYaml(
      tempFolder(),
      telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url }),
    );
    emulator.faults.add({ kind: "429", method: "sendMessage", probability: 0.1, retryAfter: 1 });
    emulator.faults.add({ kind: "duplicate-updates", method: "getUpdates", probability: 0.3 });
    burst(emulator, CHATS, MESSAGES / 2);
    await waitUntil(() => emulator.audit.visible().some((message) => message.from === "bot"), "a first answer");
    await emulator.restart();
    burst(emulator, CHATS, MESSAGES / 2, MESSAGES / 2);
    await untilAnswered(emulator, CHATS * MESSAGES);
    for (let chat = 1; chat <= CHATS; chat += 1) {
      expect([...new Set(answersOf(emulator, chat))]).toEqual(Array.from({ length: MESSAGES }, (_, number) => textOf(chat, number)));
    }
    await waitUntil(async () => (await gateway.status()).openParts === 0, "an empty outbox");
    const { messages, ambiguity } = await gateway.status();
    const doubles = doublesOf(emulator);
    console.log(
      `10 % 429s, duplicate updates, a restart: ${emulator.audit.injected} injected, ${messages.accepted} accepted, ${messages.duplicates} duplicates seen, ${doubles} doubles, ${JSON.stringify(ambiguity)}`,
    );
    expect(messages).toMatchObject({ accepted: emulator.audit.injected, open: 0, dispositions: { replied: CHATS * MESSAGES } });
    // Only a send that the restart cut in two may be sent again, where the platform does not let us know.
    expect(doubles).toBeLessThanOrEqual(ambiguity.undecidedResent);
  });

  it.each([
    { probe: true, name: "with the reconciling probe" },
    { probe: false, name: "without it" },
  ])("loses no answer when 5 % of the responses are lost: $name", async ({ probe }) => {
    const emulator = await emulated();
    const model = await modelServer();
    const gateway = await gatewayFromYaml(
      tempFolder(),
      telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url }),
      {
        patchChannel: (channel) => (probe ? channel : { ...channel, capabilities: { ...channel.capabilities, delivery: "at-least-once" } }),
      },
    );
    emulator.faults.add({ kind: "lost-response", method: "sendMessage", probability: 0.05 });
    burst(emulator, CHATS, MESSAGES);
    await untilAnswered(emulator, CHATS * MESSAGES);
    await waitUntil(async () => (await gateway.status()).openParts === 0, "an empty outbox", 60_000);
    const { messages, ambiguity } = await gateway.status();
    const doubles = doublesOf(emulator);
    console.log(
      `5 % lost responses, ${probe ? "with" : "without"} the probe: ${doubles} doubles of ${CHATS * MESSAGES} answers, ${JSON.stringify(ambiguity)}`,
    );
    expect(messages).toMatchObject({ accepted: emulator.audit.injected, open: 0, dispositions: { replied: CHATS * MESSAGES } });
    expect(ambiguity.ambiguous).toBeGreaterThan(0);
    if (probe) expect(doubles).toBe(0);
    else expect(doubles).toBeGreaterThan(0);
  });
});

/** Answers that can be seen more than once. */
function doublesOf(emulator: TelegramEmulator): number {
  const answers = emulator.audit.visible().filter((message) => message.from === "bot");
  return answers.length - new Set(answers.map((message) => `${message.chatId} ${message.text}`)).size;
}
