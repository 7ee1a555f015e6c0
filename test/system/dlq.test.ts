import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { telegramYaml } from "../support/gateway.ts";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { echoAnswer, modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const ANN: Person = { userId: 1001, firstName: "Ann" };
const BOB: Person = { userId: 1002, firstName: "Bob" };
const MISSING = "A part of my answer could not be delivered here.";

async function place() {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  writeFileSync(config, telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url }));
  const where = ["--config", config, "--data", join(folder, "data")];
  const run = async (...args: readonly string[]) => trunkline([...args, ...where]);
  const letters = async () => JSON.parse((await run("dlq", "list", "--json")).out) as { total: number; letters: { id: string }[] };
  return { emulator, run, letters, start: () => startGatewayProcess(where) };
}

/** What the bot says in a chat, as a person reads it. */
function read(emulator: TelegramEmulator, { userId }: Person): readonly string[] {
  return emulator.audit
    .visible(userId)
    .filter(({ from }) => from === "bot")
    .map(({ text }) => text);
}

function says(emulator: TelegramEmulator, who: Person, text: string): void {
  emulator.send(emulator.privateChat(who), who, { text });
}

/** An answer as Telegram shows it. */
const shown = (text: string): string => echoAnswer(text).replaceAll("**", "");

/** Sends of one answer, whatever came of them. */
function sends(emulator: TelegramEmulator, text: string): number {
  return emulator.audit.calls("sendMessage").filter(({ params }) => params["text"] === shown(text)).length;
}

it("a part that is refused for good is tried once, put aside, shown, and retried by hand; both conversations go on", async () => {
  const { emulator, run, letters, start } = await place();
  const gateway = await start();
  emulator.faults.add({ kind: "refuse", method: "sendMessage", chatId: ANN.userId, times: 1 });
  says(emulator, ANN, "one");
  await emulator.waitFor(() => read(emulator, ANN).length === 1, { timeoutMs: 30_000 });
  says(emulator, ANN, "two");
  says(emulator, BOB, "three");
  await emulator.waitFor(() => read(emulator, ANN).length === 2 && read(emulator, BOB).length === 1, { timeoutMs: 30_000 });
  expect(read(emulator, ANN)).toEqual([MISSING, shown("two")]);
  expect(read(emulator, BOB)).toEqual([shown("three")]);
  expect(sends(emulator, "one")).toBe(1);

  const list = await letters();
  expect(list.total).toBe(1);
  const { id } = list.letters[0]!;
  expect((await run("dlq", "list")).out).toContain(`${id}  telegram:main:1001  final, since `);
  const show = (await run("dlq", "show", id)).out;
  expect(show).toContain("DELIVERY_REFUSED: Telegram refused the message: Bad Request: CHAT_SEND_PLAIN_FORBIDDEN.");
  expect(show).toContain(shown("one"));
  const before = (await run("explain", id)).out;
  expect(before).toContain("outcome   replied, dead");
  expect(before).toContain(`trunkline dlq show ${id}`);
  expect((await run("status")).out).toContain("1 put aside (trunkline dlq list)");

  expect((await run("dlq", "retry", id)).out).toContain(`${id} is in line again`);
  await emulator.waitFor(() => read(emulator, ANN).length === 3, { timeoutMs: 30_000 });
  expect(read(emulator, ANN).at(-1)).toBe(shown("one"));
  expect(sends(emulator, "one")).toBe(2);
  expect((await run("explain", id)).out).toContain("outcome   replied, delivered");
  expect((await run("dlq", "list")).out).toContain("Nothing was put aside");
  const again = await run("dlq", "retry", id);
  expect(again).toMatchObject({ code: 1, out: "" });
  expect(again.err).toContain("DELIVERY_PART_UNKNOWN");
  expect(await gateway.stop()).toBe(0);
  expect(gateway.log()).not.toContain(shown("one"));
});

it("dead letters are listed, retried and dropped beside a stopped gateway; the next start sends them", async () => {
  const { emulator, run, letters, start } = await place();
  const gateway = await start();
  const chat = emulator.privateChat(ANN);
  for (const text of ["one", "two"]) {
    emulator.faults.add({ kind: "refuse", method: "sendMessage", chatId: ANN.userId, times: 1 });
    const count = read(emulator, ANN).length;
    emulator.send(chat, ANN, { text });
    await emulator.waitFor(() => read(emulator, ANN).length > count, { timeoutMs: 30_000 });
  }
  expect(await gateway.stop()).toBe(0);
  const list = await letters();
  expect(list.total).toBe(2);
  const [two, one] = list.letters;
  expect((await run("dlq", "drop", two!.id)).out).toContain(`${two!.id} is off the list and stays undelivered.`);
  expect((await run("dlq", "retry", one!.id)).code).toBe(0);
  expect((await letters()).total).toBe(0);
  expect((await run("explain", two!.id)).out).toContain("outcome   replied, dead");
  expect(read(emulator, ANN)).toEqual([MISSING, MISSING]);
  const next = await start();
  await emulator.waitFor(() => read(emulator, ANN).length === 3, { timeoutMs: 30_000 });
  expect(read(emulator, ANN)).toEqual([MISSING, MISSING, shown("one")]);
  expect(await next.stop()).toBe(0);
});
