import { createServer } from "node:http";
import { explainMessage } from "@trunkline/core";
import { STORE } from "@trunkline/plugin-sdk";
import { createTelegramEmulator, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const ANN: Person = { userId: 1001, firstName: "Ann" };

async function bot(token: string): Promise<TelegramEmulator> {
  const emulator = await createTelegramEmulator({ token });
  onTestFinished(() => emulator.close());
  return emulator;
}

const threeBots = () =>
  Promise.all([bot("7000000001:token-of-the-first"), bot("7000000002:token-of-the-second"), bot("7000000003:token-of-the-third")]);

/** The configuration in which account `main` is one bot and account `other` another. */
function yamlOf(main: TelegramEmulator, other: TelegramEmulator, modelUrl: string): string {
  const open = '        dmPolicy: open\n        allowFrom: ["*"]\n';
  const account = `${open}      other:\n        token: "${other.token}"\n        apiRoot: "${other.apiRoot}"\n${open}`;
  const extra = 'owners: ["telegram:other:1001"]\n';
  return telegramYaml({ apiRoot: main.apiRoot, token: main.token, modelUrl, account, extra });
}

function told(emulator: TelegramEmulator): readonly string[] {
  return emulator.audit
    .visible(ANN.userId)
    .filter(({ from }) => from === "bot")
    .map(({ text }) => text);
}

/** A model server that answers nothing until it is told to. */
async function heldModel() {
  const waiting: (() => void)[] = [];
  const delta = JSON.stringify({
    choices: [{ index: 0, delta: { role: "assistant", content: "the held answer" }, finish_reason: "stop" }],
  });
  const server = createServer((_request, response) => {
    waiting.push(() => response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${delta}\n\ndata: [DONE]\n\n`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/v1`, asked: () => waiting.length, answer: () => waiting.forEach((send) => send()) };
}

it("an answer that waits leaves by the bot that was asked, when two accounts swap their tokens", async () => {
  const [first, second] = await threeBots();
  const model = await modelServer();
  const gateway = await gatewayFromYaml(tempFolder(), yamlOf(first, second, model.url));
  const limited = first.faults.add({ kind: "429", method: "sendMessage", retryAfter: 2, times: 1 });
  first.send(first.privateChat(ANN), ANN, { text: "to the first" });
  second.privateChat(ANN);
  await waitUntil(() => limited.count === 1, "the answer was refused for now");
  gateway.edit(yamlOf(second, first, model.url));
  await first.waitFor(() => told(first).length > 0, { timeoutMs: 20_000 });
  expect(told(first)[0]).toContain("to the first");
  expect(told(second)).toEqual([]);
});

it("a turn that runs while two accounts swap their tokens answers by the bot that was asked", async () => {
  const [first, second] = await threeBots();
  const model = await heldModel();
  const gateway = await gatewayFromYaml(tempFolder(), yamlOf(first, second, model.url));
  first.send(first.privateChat(ANN), ANN, { text: "to the first" });
  second.privateChat(ANN);
  await waitUntil(() => model.asked() === 1, "the model is asked");
  gateway.edit(yamlOf(second, first, model.url));
  await waitUntil(() => second.audit.calls("getUpdates").length > 1 && first.audit.calls("getMe").length > 1, "both are connected anew");
  model.answer();
  await first.waitFor(() => told(first).length > 0, { timeoutMs: 20_000 });
  expect(told(first)).toEqual(["the held answer"]);
  expect(told(second)).toEqual([]);
  expect(second.audit.calls("sendChatAction"), "nor does the other bot seem to type").toEqual([]);
});

it("an answer of a bot that no account is any more is put aside, explained, and told to an owner", async () => {
  const [first, second, third] = await threeBots();
  const model = await heldModel();
  const gateway = await gatewayFromYaml(tempFolder(), yamlOf(first, second, model.url));
  first.send(first.privateChat(ANN), ANN, { text: "to the first" });
  second.privateChat(ANN);
  third.privateChat(ANN);
  await waitUntil(() => model.asked() === 1, "the model is asked");
  gateway.edit(yamlOf(third, second, model.url));
  await waitUntil(() => third.audit.calls("getUpdates").length > 0, "the account is the third bot");
  model.answer();
  await second.waitFor(() => told(second).length > 0, { timeoutMs: 20_000 });
  expect(told(second)[0]).toContain("DELIVERY_SENDER_GONE");
  const explained = await explainMessage("last", gateway.container.get(STORE));
  expect(explained).toMatchObject({ disposition: "replied", delivery: "dead", parts: [{ error: { code: "DELIVERY_SENDER_GONE" } }] });
  expect(JSON.stringify(explained.parts)).toContain("7000000001");
  expect(told(third)).toEqual([]);
  expect(told(first)).toEqual([]);
});

it("another bot in the same account is heard although its chats number their messages from 1 again", async () => {
  const [first, second, third] = await threeBots();
  const model = await modelServer();
  const gateway = await gatewayFromYaml(tempFolder(), yamlOf(first, second, model.url));
  const before = first.send(first.privateChat(ANN), ANN, { text: "to the first" });
  await first.waitFor(() => told(first).length > 0, { timeoutMs: 20_000 });
  gateway.edit(yamlOf(third, second, model.url));
  const after = third.send(third.privateChat(ANN), ANN, { text: "to the third" });
  await third.waitFor(() => told(third).length > 0, { timeoutMs: 20_000 });
  expect(after.messageId).toBe(before.messageId);
  expect(told(third)[0]).toContain("to the third");
  expect(await gateway.status()).toMatchObject({ messages: { accepted: 2, duplicates: 0, dispositions: { replied: 2 } } });
});
