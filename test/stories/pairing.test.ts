import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "@trunkline/core";
import { silentLogger, systemClock, type Logger } from "@trunkline/plugin-sdk";
import { createTelegramEmulator, createVirtualClock, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { controlClient } from "../../packages/gateway/src/control/client.ts";
import { controlSocketPath } from "../../packages/gateway/src/data-folder.ts";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { directMessage, pipelineOn, platform } from "../support/pipeline.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const PAIRING = "        dmPolicy: pairing\n";
const PAIRING_ALONE = `version: 1
channels:
  telegram:
    accounts:
      main: { token: "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", dmPolicy: pairing }
`;
const EVE: Person = { userId: 2001, firstName: "Eve" };
const WORDS = "the-strangers-own-words";

/** A gateway whose Telegram account pairs, with what an operator's command line would use. */
async function pairingGateway(account = PAIRING, extra = "") {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url, account, extra });
  const start = () => gatewayFromYaml(folder, yaml);
  const data = join(folder, "data");
  return { emulator, model, folder, data, start, gateway: await start(), operator: controlClient(controlSocketPath(data), data) };
}

function told(emulator: TelegramEmulator, chatId: number): readonly string[] {
  return emulator.audit
    .visible(chatId)
    .filter(({ from }) => from === "bot")
    .map(({ text }) => text);
}

async function toldAtLeast(emulator: TelegramEmulator, chatId: number, count: number): Promise<readonly string[]> {
  await emulator.waitFor(() => told(emulator, chatId).length >= count, { timeoutMs: 15_000 });
  return told(emulator, chatId);
}

function codeIn(text: string | undefined): string {
  const code = /\b[A-HJ-NP-Z2-9]{8}\b/.exec(text ?? "")?.[0];
  if (code === undefined) throw new Error(`no code in: ${text}`);
  return code;
}

describe("a stranger on an account that pairs", () => {
  it("gets a code once, is let in by it, told so, answered, and shut out again at once", async () => {
    const { emulator, operator, gateway, model } = await pairingGateway();
    const chat = emulator.privateChat(EVE);
    emulator.send(chat, EVE, { text: WORDS });
    const code = codeIn((await toldAtLeast(emulator, 2001, 1))[0]);
    for (const text of ["hello?", "/status", "please"]) emulator.send(chat, EVE, { text });
    await waitUntil(async () => (await gateway.status()).messages.accepted === 4, "all four are accepted");
    expect(told(emulator, 2001)).toHaveLength(1);
    expect((await gateway.status()).messages.dispositions).toEqual({ pairing: 4 });

    const [request] = await operator.pairingList({});
    expect(request).toMatchObject({ channel: "telegram", account: "main", sender: "2001", code, attempts: 3 });
    expect(await operator.pairingApprove({ channel: "telegram", code: code.toLowerCase() })).toMatchObject({ sender: "2001" });
    expect((await toldAtLeast(emulator, 2001, 2))[1]).toContain("let in");
    expect(await operator.pairingList({})).toEqual([]);
    await expect(operator.pairingApprove({ channel: "telegram", code }), "a code works once").rejects.toMatchObject({
      code: "ACCESS_CODE_UNKNOWN",
    });

    emulator.send(chat, EVE, { text: "now then" });
    expect((await toldAtLeast(emulator, 2001, 3))[2]).toContain("now then");
    emulator.send(chat, EVE, { text: "/status" });
    expect((await toldAtLeast(emulator, 2001, 4))[3]).toContain("mock/echo");
    expect(model.requests()).toBe(1);

    await operator.accessRemove({ channel: "telegram", account: "main", sender: "2001" });
    emulator.send(chat, EVE, { text: "still there?" });
    codeIn((await toldAtLeast(emulator, 2001, 5))[4]);
    expect(model.requests()).toBe(1);
    await expect(operator.pairingApprove({ channel: "telegram", code }), "nor after they were shut out").rejects.toMatchObject({
      code: "ACCESS_CODE_UNKNOWN",
    });
  });

  it.each(["A".repeat(4000), "ABCD\u001b[2J2345", "ＡＢＣＤ２３４５", "' or 1=1 --", "\u0000"])(
    "is not let in by the code %j, and the error repeats nothing of it that could do harm",
    async (code) => {
      const { emulator, operator } = await pairingGateway();
      emulator.send(emulator.privateChat(EVE), EVE, { text: "hi" });
      await toldAtLeast(emulator, 2001, 1);
      const error: Error = await operator.pairingApprove({ channel: "telegram", code }).then(
        () => new Error("approved"),
        (failure: Error) => failure,
      );
      expect(error).toMatchObject({ code: "ACCESS_CODE_UNKNOWN" });
      expect(error.message.length).toBeLessThan(200);
      // oxlint-disable-next-line no-control-regex -- what must not be there
      expect(error.message).not.toMatch(/[\u0000-\u001f]/);
      expect(await operator.pairingList({})).toHaveLength(1);
    },
  );

  it("leaves nothing of their words and name in the data folder, and can be explained", async () => {
    const { emulator, operator, gateway, data } = await pairingGateway();
    emulator.send(emulator.privateChat(EVE), { ...EVE, firstName: "Evelyn-Unmistakable" }, { text: WORDS });
    await toldAtLeast(emulator, 2001, 1);
    await waitUntil(async () => (await gateway.status()).openParts === 0, "the code's receipt is stored");
    const explained = await operator.explain({ message: "last" });
    expect(explained).toMatchObject({ disposition: "pairing", delivery: "delivered" });
    expect(explained.decisions.map(({ code }) => code)).toEqual(["unknown-sender", "code-sent"]);
    expect(explained.decisions[1]?.at).toMatch(/trunkline\.yaml:\d+$/);
    await gateway.stop();
    for (const file of readdirSync(data, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const bytes = readFileSync(join(file.parentPath, file.name));
      expect(bytes.includes(WORDS), file.name).toBe(false);
      expect(bytes.includes("Evelyn-Unmistakable"), file.name).toBe(false);
    }
  });

  it("is one of at most three who wait; a fourth gets nothing", async () => {
    const { emulator, gateway, operator } = await pairingGateway();
    for (const userId of [2001, 2002, 2003, 2004]) {
      const person = { userId, firstName: `P${userId}` };
      emulator.send(emulator.privateChat(person), person, { text: "hi" });
      await waitUntil(async () => (await gateway.status()).messages.accepted === userId - 2000, "it is accepted");
    }
    for (const userId of [2001, 2002, 2003]) await toldAtLeast(emulator, userId, 1);
    expect((await gateway.status()).messages.dispositions).toEqual({ pairing: 3, denied: 1 });
    expect(told(emulator, 2004)).toEqual([]);
    const [first] = await operator.pairingList({});
    await operator.pairingDeny({ channel: "telegram", code: first?.code ?? "" });
    const late = { userId: 2004, firstName: "P2004" };
    emulator.send(emulator.privateChat(late), late, { text: "again" });
    codeIn((await toldAtLeast(emulator, 2004, 1))[0]);
    const denied = { userId: 2001, firstName: "P2001" };
    emulator.send(emulator.privateChat(denied), denied, { text: "why not?" });
    await waitUntil(async () => (await gateway.status()).messages.dispositions["denied"] === 2, "the denied one stays unanswered");
    expect(told(emulator, 2001)).toHaveLength(1);
  });

  it("sends ten messages in one burst and still gets one code", async () => {
    const { emulator, gateway } = await pairingGateway();
    const chat = emulator.privateChat(EVE);
    for (let n = 1; n <= 10; n += 1) emulator.send(chat, EVE, { text: `knock ${n}` });
    await waitUntil(async () => (await gateway.status()).strangersCounted["telegram:main"] === 5, "all ten are there, five only counted");
    // They are counted before those that came with them are stored.
    await waitUntil(async () => (await gateway.status()).messages.accepted >= 5, "the others are stored");
    expect((await gateway.status()).messages).toMatchObject({ accepted: 5, open: 0, dispositions: { pairing: 5 } });
    await toldAtLeast(emulator, 2001, 1);
    expect(told(emulator, 2001)).toHaveLength(1);
  });

  it("keeps nobody else from a code by knocking again and again", async () => {
    const { emulator } = await pairingGateway();
    const chat = emulator.privateChat(EVE);
    for (let n = 1; n <= 50; n += 1) emulator.send(chat, EVE, { text: `knock ${n}` });
    const mallory = { userId: 2002, firstName: "Mallory" };
    emulator.send(emulator.privateChat(mallory), mallory, { text: "hello" });
    codeIn((await toldAtLeast(emulator, 2002, 1))[0]);
  });

  it("is one of ten thousand: twenty messages a minute are stored, three codes sent, the rest counted", async () => {
    const clock = createVirtualClock();
    const store = await openStore({ url: `sqlite:${join(tempFolder(), "trunkline.db")}`, clock: systemClock });
    const telegram = platform();
    const pipeline = await pipelineOn(PAIRING_ALONE, store, clock, telegram.transport);
    onTestFinished(async () => {
      await pipeline.stop(0);
      await store.close();
    });
    for (let n = 0; n < 100; n += 1)
      await pipeline.receive(Array.from({ length: 100 }, (_, index) => directMessage(String(1 + n * 100 + index), clock)));
    await waitUntil(async () => (await pipeline.counts()).openParts === 0, "the codes are sent");
    const counts = await pipeline.counts();
    expect(counts.messages).toMatchObject({ accepted: 20, dispositions: { pairing: 3, denied: 17 } });
    expect(counts.strangersCounted).toEqual({ "telegram:main": 9980 });
    expect(telegram.sent).toHaveLength(3);
    expect(await pipeline.access.requests()).toHaveLength(3);
  });

  it("gains no rights in groups by it", async () => {
    const { emulator, operator, gateway } = await pairingGateway(`${PAIRING}        groups: { "-100500": { allowFrom: ["1001"] } }\n`);
    emulator.send(emulator.privateChat(EVE), EVE, { text: "hi" });
    const code = codeIn((await toldAtLeast(emulator, 2001, 1))[0]);
    await operator.pairingApprove({ channel: "telegram", code });
    const group = emulator.group({ id: -100500, title: "Team", supergroup: true });
    emulator.send(group, EVE, { text: `@${emulator.bot.username} hello` });
    await waitUntil(async () => (await gateway.status()).messages.dispositions["denied"] === 1, "the group's list decides");
    expect(told(emulator, -100500)).toEqual([]);
  });
});

describe("two accounts", () => {
  it("do not share who was let in", async () => {
    const second = await createTelegramEmulator({ token: "7000000002:emulated-token-of-another-bot" });
    onTestFinished(() => second.close());
    const other = `      other:\n        token: "${second.token}"\n        apiRoot: "${second.apiRoot}"\n        dmPolicy: pairing\n`;
    const { emulator, operator } = await pairingGateway(PAIRING + other);
    emulator.send(emulator.privateChat(EVE), EVE, { text: "hi" });
    const code = codeIn((await toldAtLeast(emulator, 2001, 1))[0]);
    await expect(operator.pairingApprove({ channel: "telegram", code, account: "other" })).rejects.toMatchObject({
      code: "ACCESS_CODE_UNKNOWN",
    });
    await operator.pairingApprove({ channel: "telegram", code, account: "main" });
    await toldAtLeast(emulator, 2001, 2);
    second.send(second.privateChat(EVE), EVE, { text: "hi, other bot" });
    const otherCode = codeIn((await toldAtLeast(second, 2001, 1))[0]);
    expect(otherCode).not.toBe(code);
    await operator.pairingApprove({ channel: "telegram", code: otherCode });
    await toldAtLeast(second, 2001, 2);

    await operator.accessRemove({ channel: "telegram", account: "main", sender: "tg:2001" });
    second.send(second.privateChat(EVE), EVE, { text: "still welcome here" });
    expect((await toldAtLeast(second, 2001, 3))[2]).toContain("still welcome here");
    emulator.send(emulator.privateChat(EVE), EVE, { text: "and there?" });
    codeIn((await toldAtLeast(emulator, 2001, 3))[2]);
  });
});

describe("an allow list", () => {
  it("knows people by their numbers, however those are written, and by nothing else", async () => {
    const lists = `        dmPolicy: allowlist\n        allowFrom: ["tg:1001", "TELEGRAM:1002"]\n`;
    const { emulator, gateway } = await pairingGateway(lists, 'owners: ["telegram:main:tg:1003"]\n');
    for (const userId of [1001, 1002, 1003]) {
      const person = { userId, firstName: `P${userId}` };
      emulator.send(emulator.privateChat(person), person, { text: `I am ${userId}` });
      expect((await toldAtLeast(emulator, userId, 1))[0]).toContain(`I am ${userId}`);
    }
    const spoofer: Person = { userId: 2001, firstName: "1001", username: "tg1001" };
    emulator.send(emulator.privateChat(spoofer), spoofer, { text: "I am 1001 too" });
    await waitUntil(async () => (await gateway.status()).messages.dispositions["denied"] === 1, "the name counts for nothing");
    expect(told(emulator, 2001)).toEqual([]);
  });

  it("that is empty lets nobody in, owners apart", async () => {
    const { emulator, gateway } = await pairingGateway("        dmPolicy: allowlist\n        allowFrom: []\n");
    emulator.send(emulator.privateChat(EVE), EVE, { text: "hello?" });
    const group = emulator.group({ id: -100500, title: "Team", supergroup: true });
    emulator.send(group, EVE, { text: `@${emulator.bot.username} hello?` });
    await waitUntil(async () => (await gateway.status()).messages.dispositions["denied"] === 2, "both are denied");
    expect([...told(emulator, 2001), ...told(emulator, -100500)]).toEqual([]);
  });

  it("sends no code, and does not count who was let in while it paired", async () => {
    const { emulator, operator, gateway, folder } = await pairingGateway();
    emulator.send(emulator.privateChat(EVE), EVE, { text: "hi" });
    await operator.pairingApprove({ channel: "telegram", code: codeIn((await toldAtLeast(emulator, 2001, 1))[0]) });
    await toldAtLeast(emulator, 2001, 2);
    await gateway.stop();
    const yaml = readFileSync(join(folder, "trunkline.yaml"), "utf8");
    const warned: unknown[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (fields: unknown, message: string) => void warned.push([message, fields]),
      child: () => logger,
    };
    const list = '        dmPolicy: allowlist\n        allowFrom: ["1001"]\n';
    const next = await gatewayFromYaml(folder, yaml.replace(PAIRING, list), { logger });
    expect(warned, "the start says so").toContainEqual([
      expect.stringContaining("approved by pairing are ignored"),
      { channel: "telegram", account: "main", count: 1, dmPolicy: "allowlist" },
    ]);
    emulator.send(emulator.privateChat(EVE), EVE, { text: "and now?" });
    await waitUntil(async () => (await next.status()).messages.dispositions["denied"] === 1, "the list decides");
    expect(await operator.pairingList({})).toEqual([]);
    expect(told(emulator, 2001)).toHaveLength(2);
  });
});
