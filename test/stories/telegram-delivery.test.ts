import { createTelegramEmulator, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const ANN: Person = { userId: 1001, firstName: "Ann" };
const BOB: Person = { userId: 1002, firstName: "Bob" };
const CAT: Person = { userId: 1003, firstName: "Cat" };

/** A gateway with two bots, each on a platform of its own. */
async function twoBots(answer: (text: string) => string = (text) => `answer to ${text}`, rates = "") {
  const main = await createTelegramEmulator();
  const second = await createTelegramEmulator({ token: "7000000002:emulated-token-of-another-bot" });
  onTestFinished(() => Promise.all([main.close(), second.close()]).then(() => {}));
  const model = await modelServer(answer);
  const open = '        dmPolicy: open\n        allowFrom: ["*"]\n';
  const account = `${open}${rates}      other:\n        token: "${second.token}"\n        apiRoot: "${second.apiRoot}"\n${open}`;
  const yaml = telegramYaml({ apiRoot: main.apiRoot, token: main.token, modelUrl: model.url, account });
  return { main, second, gateway: await gatewayFromYaml(tempFolder(), yaml) };
}

function says(emulator: TelegramEmulator, who: Person, text: string): void {
  emulator.send(emulator.privateChat(who), who, { text });
}

function read(emulator: TelegramEmulator, { userId }: Person): readonly string[] {
  return emulator.audit.visibleFromBot(userId).map(({ text }) => text);
}

const sends = (emulator: TelegramEmulator, kind: "ok" | "refused", { userId }: Person) =>
  emulator.audit.calls("sendMessage").filter((call) => call.chatId === userId && call.outcome.kind === kind);

describe("a rate limit of Telegram", () => {
  it("of one chat rests that chat, for as long as it says; others are answered meanwhile", async () => {
    const { main } = await twoBots();
    main.faults.add({ kind: "429", method: "sendMessage", chatId: ANN.userId, times: 1, retryAfter: 2 });
    says(main, ANN, "one");
    await main.waitFor(() => sends(main, "refused", ANN).length === 1);
    says(main, ANN, "two");
    says(main, BOB, "three");
    await main.waitFor(() => read(main, ANN).length === 2, { timeoutMs: 20_000 });
    expect(read(main, ANN)).toEqual(["answer to one", "answer to two"]);
    const [refused] = sends(main, "refused", ANN);
    const [first] = sends(main, "ok", ANN);
    const [other] = sends(main, "ok", BOB);
    expect(first!.at - refused!.at).toBeGreaterThanOrEqual(2000);
    expect(other!.at).toBeLessThan(first!.at);
    expect(main.audit.calls("sendMessage")).toHaveLength(4);
  });

  it("of the whole bot rests all its chats, and not those of another bot", async () => {
    const { main, second } = await twoBots();
    const fault = main.faults.add({ kind: "429", method: "sendMessage", times: 2, retryAfter: 3 });
    // Two chats that were quiet are refused together: that is nobody's own limit.
    says(main, ANN, "one");
    says(main, BOB, "two");
    await main.waitFor(() => fault.count === 2);
    says(main, CAT, "three");
    says(second, CAT, "elsewhere");
    await main.waitFor(() => [ANN, BOB, CAT].every((who) => read(main, who).length === 1), { timeoutMs: 20_000 });
    const calls = main.audit.calls("sendMessage");
    const refusedAt = Math.max(...calls.filter(({ outcome }) => outcome.kind === "refused").map(({ at }) => at));
    expect(sends(main, "ok", CAT)[0]!.at - refusedAt).toBeGreaterThanOrEqual(3000);
    expect(calls).toHaveLength(5);
    expect(read(second, CAT)).toEqual(["answer to elsewhere"]);
    expect(sends(second, "ok", CAT)[0]!.at).toBeLessThan(sends(main, "ok", CAT)[0]!.at);
  });

  it("can be anticipated by `rates:`", async () => {
    const { main } = await twoBots(undefined, "        rates: { perChatPerSecond: 1 }\n");
    for (const text of ["one", "two", "three"]) says(main, ANN, text);
    await main.waitFor(() => read(main, ANN).length === 3, { timeoutMs: 20_000 });
    expect(read(main, ANN)).toEqual(["one", "two", "three"].map((text) => `answer to ${text}`));
    const [first, , third] = sends(main, "ok", ANN);
    // Two seconds between the calls; what is seen is their ends, and the first may take a while.
    expect(third!.at - first!.at).toBeGreaterThan(1000);
  });
});

describe("a message that Telegram finds too long", () => {
  it("arrives in halves, in order and with its formatting, before what comes after it", async () => {
    const long = Array.from({ length: 40 }, (_, n) => `Paragraph ${n} with **bold** words.`).join("\n\n");
    const { main, gateway } = await twoBots((text) => (text === "long" ? long : `answer to ${text}`));
    main.faults.add({ kind: "refuse", method: "sendMessage", times: 2, description: "Bad Request: message is too long" });
    says(main, ANN, "long");
    says(main, ANN, "next");
    await main.waitFor(() => read(main, ANN).includes("answer to next"), { timeoutMs: 20_000 });
    const texts = read(main, ANN);
    // The first half was refused once more, and cut again.
    expect(texts).toHaveLength(4);
    expect(texts.slice(0, 3).join("\n\n")).toBe(long.replaceAll("**", ""));
    const bold = main.audit.visibleFromBot(ANN.userId).flatMap(({ entities }) => entities.filter(({ type }) => type === "bold"));
    expect(bold).toHaveLength(40);
    await waitUntil(async () => (await gateway.status()).openParts === 0, "an empty outbox");
    expect((await gateway.status()).deadLetters).toBe(0);
  });
});

describe("a person who blocked the bot", () => {
  it("costs one try for an answer and no words about it", async () => {
    const { main, gateway } = await twoBots();
    main.setAccess(main.privateChat(ANN), "blocked");
    says(main, ANN, "hello");
    await waitUntil(async () => (await gateway.status()).deadLetters === 1, "the answer is put aside");
    expect((await gateway.status()).openParts).toBe(0);
    expect(main.audit.calls("sendMessage")).toHaveLength(1);
  });
});

describe("a growing answer on Telegram", () => {
  const answer = "This answer takes its time. ".repeat(8).trim();
  const slowly = async () => {
    const main = await createTelegramEmulator();
    onTestFinished(() => main.close());
    const model = await modelServer(() => answer, { msPerPiece: 250 });
    const yaml = telegramYaml({ apiRoot: main.apiRoot, token: main.token, modelUrl: model.url });
    return { main, gateway: await gatewayFromYaml(tempFolder(), yaml) };
  };

  it("is one message, whose versions only grow, and at last the answer", async () => {
    const { main, gateway } = await slowly();
    says(main, ANN, "tell me");
    await main.waitFor(() => read(main, ANN).includes(answer), { timeoutMs: 30_000 });
    await waitUntil(async () => (await gateway.status()).openParts === 0, "an empty outbox");
    expect(read(main, ANN)).toEqual([answer]);
    const versions = main.audit.versions(ANN.userId, main.audit.visibleFromBot(ANN.userId)[0]!.messageId);
    expect(versions.length).toBeGreaterThan(1);
    versions.forEach((text, n) => expect(answer.startsWith(text), `version ${n}`).toBe(true));
    const lengths = versions.map((text) => text.length);
    expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
    expect(main.audit.calls("sendMessage")).toHaveLength(1);
  });

  it("whose message was deleted meanwhile comes as a new one", async () => {
    const { main } = await slowly();
    says(main, ANN, "tell me");
    await main.waitFor(() => read(main, ANN).length === 1, { timeoutMs: 30_000 });
    const [shown] = main.audit.visibleFromBot(ANN.userId);
    main.remove(main.privateChat(ANN), shown!.messageId);
    await main.waitFor(() => read(main, ANN).includes(answer), { timeoutMs: 30_000 });
    expect(read(main, ANN)).toEqual([answer]);
  });

  it("whose edits are limited ends with one whole answer", async () => {
    const { main } = await slowly();
    main.faults.add({ kind: "429", method: "editMessageText", times: 1, retryAfter: 2 });
    says(main, ANN, "tell me");
    await main.waitFor(() => read(main, ANN).includes(answer), { timeoutMs: 30_000 });
    expect(read(main, ANN)).toEqual([answer]);
    expect(main.audit.calls("sendMessage")).toHaveLength(1);
    const refused = main.audit.calls("editMessageText").findIndex(({ outcome }) => outcome.kind === "refused");
    const [before, after] = main.audit.calls("editMessageText").slice(refused);
    expect(after!.at - before!.at).toBeGreaterThanOrEqual(2000);
  });
});
