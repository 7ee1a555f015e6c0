import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { controlClient } from "../../packages/gateway/src/control/client.ts";
import { controlSocketPath } from "../../packages/gateway/src/data-folder.ts";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const PAIRING = "        dmPolicy: pairing\n";
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
    for (const text of ["hello?", "/status", "/activation always", "please"]) emulator.send(chat, EVE, { text });
    await waitUntil(async () => (await gateway.status()).messages.accepted === 5, "all five are accepted");
    expect(told(emulator, 2001)).toHaveLength(1);
    expect((await gateway.status()).messages.dispositions).toEqual({ pairing: 5 });

    const [request] = await operator.pairingList({});
    expect(request).toMatchObject({ channel: "telegram", account: "main", sender: "2001", code, attempts: 4 });
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
  });

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
    await waitUntil(async () => (await gateway.status()).messages.dispositions["pairing"] === 10, "all ten are accepted");
    await toldAtLeast(emulator, 2001, 1);
    expect(told(emulator, 2001)).toHaveLength(1);
  });

  it("is only counted beyond twenty messages a minute", async () => {
    const { emulator, gateway } = await pairingGateway();
    const chat = emulator.privateChat(EVE);
    for (let n = 1; n <= 27; n += 1) emulator.send(chat, EVE, { text: `knock ${n}` });
    await waitUntil(async () => (await gateway.status()).strangersCounted["telegram:main"] === 7, "seven are only counted");
    // They are counted before those that came with them are stored.
    await waitUntil(async () => (await gateway.status()).messages.accepted >= 20, "the others are stored");
    const { messages } = await gateway.status();
    expect(messages).toMatchObject({ accepted: 20, open: 0, dispositions: { pairing: 20 } });
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
    expect(codeIn((await toldAtLeast(second, 2001, 1))[0])).not.toBe(code);
  });
});

describe("an allow list", () => {
  it("sends no code, and does not count who was let in while it paired", async () => {
    const { emulator, operator, gateway, folder } = await pairingGateway();
    emulator.send(emulator.privateChat(EVE), EVE, { text: "hi" });
    await operator.pairingApprove({ channel: "telegram", code: codeIn((await toldAtLeast(emulator, 2001, 1))[0]) });
    await toldAtLeast(emulator, 2001, 2);
    await gateway.stop();
    const yaml = readFileSync(join(folder, "trunkline.yaml"), "utf8");
    const next = await gatewayFromYaml(folder, yaml.replace(PAIRING, '        dmPolicy: allowlist\n        allowFrom: ["1001"]\n'));
    emulator.send(emulator.privateChat(EVE), EVE, { text: "and now?" });
    await waitUntil(async () => (await next.status()).messages.dispositions["denied"] === 1, "the list decides");
    expect(await operator.pairingList({})).toEqual([]);
    expect(told(emulator, 2001)).toHaveLength(2);
  });
});
