import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { telegramYaml } from "../support/gateway.ts";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const EVE: Person = { userId: 2001, firstName: "Eve" };
const ACCOUNT = `        dmPolicy: pairing
        groups:
          "-100500": { allowFrom: ["1001"] }
`;

async function place() {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  writeFileSync(config, telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url, account: ACCOUNT }));
  const where = ["--config", config, "--data", join(folder, "data")];
  const run = (...args: readonly string[]) => trunkline([...args, ...where]);
  return { emulator, config, where, run, start: () => startGatewayProcess(where) };
}

async function told(emulator: TelegramEmulator, count: number): Promise<readonly string[]> {
  const texts = () =>
    emulator.audit
      .visible(2001)
      .filter(({ from }) => from === "bot")
      .map(({ text }) => text);
  await emulator.waitFor(() => texts().length >= count, { timeoutMs: 30_000 });
  return texts();
}

function codeIn(text: string | undefined): string {
  return /\b[A-HJ-NP-Z2-9]{8}\b/.exec(text ?? "")?.[0] ?? "no code";
}

it("lists, approves, tries and removes by the command line, with a running gateway", async () => {
  const { emulator, config, run, start } = await place();
  const gateway = await start();
  const chat = emulator.privateChat(EVE);
  emulator.send(chat, EVE, { text: "let me in" });
  const code = codeIn((await told(emulator, 1))[0]);

  expect((await run("pairing", "list")).out).toContain(`telegram:main  ${code}  sender 2001`);
  const wrong = await run("pairing", "approve", "telegram", "AAAABBBB");
  expect(wrong).toMatchObject({ code: 1, out: "" });
  expect(wrong.err).toContain("ACCESS_CODE_UNKNOWN");
  expect((await run("pairing", "approve", "telegram", code)).out).toContain("2001 may now write to telegram:main.");
  expect((await told(emulator, 2))[1]).toContain("let in");
  expect((await run("pairing", "list")).out).toContain("Nobody waits");
  expect((await run("access", "list")).out).toContain("telegram:main  2001");

  const test = (await run("access", "test", "--channel", "telegram", "--peer", "dm:2001")).out;
  expect(test).toContain("access    allowed");
  expect(test).toContain("paired: an operator approved the sender on this account");
  expect(test).toContain(`${config}:${lineOf(config, "dmPolicy")}  channels.telegram.accounts.main.dmPolicy`);
  const route = (await run("route", "--channel", "telegram", "--account", "main", "--peer", "dm:2001")).out;
  expect(route).toContain("agent     aria");
  expect(route).toContain("agent:aria:telegram:main:dm:2001");
  const whyNot = (await run("why-not", "--channel", "telegram", "--peer", "group:-100500", "--sender", "2001", "--text", "hello")).out;
  expect(whyNot).toContain("outcome   denied");
  expect(whyNot).toContain(`${config}:${lineOf(config, "-100500")}  channels.telegram.accounts.main.groups.-100500.allowFrom`);

  expect((await run("access", "remove", "telegram", "main", "2001")).code).toBe(0);
  emulator.send(chat, EVE, { text: "am I still in?" });
  codeIn((await told(emulator, 3))[2]);
  const explained = (await run("explain", "last")).out;
  expect(explained).toContain("outcome   pairing");
  expect(explained).toContain("code-sent");
  expect(gateway.log()).not.toContain(code);
  expect(await gateway.stop()).toBe(0);
});

it("approves beside a stopped gateway; the sender is told after the next start", async () => {
  const { emulator, run, start } = await place();
  const nobody = await run("pairing", "list");
  expect(nobody.err).toContain("GATEWAY_NOT_RUNNING");
  const dry = await run("why-not", "--channel", "telegram", "--peer", "dm:2001", "--text", "hello", "--json");
  expect(JSON.parse(dry.out)).toMatchObject({ outcome: "pairing", allowed: false });
  const first = await start();
  emulator.send(emulator.privateChat(EVE), EVE, { text: "let me in" });
  const code = codeIn((await told(emulator, 1))[0]);
  expect(await first.stop()).toBe(0);
  expect((await run("pairing", "approve", "telegram", code)).out).toContain("2001 may now write");
  expect(await told(emulator, 1)).toHaveLength(1);
  await start();
  const texts = await told(emulator, 2);
  expect(texts[1]).toContain("let in");
  emulator.send(emulator.privateChat(EVE), EVE, { text: "hello again" });
  expect((await told(emulator, 3))[2]).toContain("hello again");
});

it("sends the code once when the gateway is killed between accepting and sending", async () => {
  const { emulator, run, start } = await place();
  const held = emulator.faults.add({ kind: "hold-before", method: "sendMessage", times: 1 });
  const first = await start();
  const sent = emulator.send(emulator.privateChat(EVE), EVE, { text: "let me in" });
  await held.held();
  await first.kill();
  held.remove();
  // What the platform had not been told is handed out again, as after any crash.
  emulator.repeatUpdate(sent.updateId ?? 0);
  await start();
  const [only] = await told(emulator, 1);
  const listed = (await run("pairing", "list", "--json")).out;
  expect((JSON.parse(listed) as { code: string }[]).map(({ code }) => code)).toEqual([codeIn(only)]);
  emulator.send(emulator.privateChat(EVE), EVE, { text: "anybody?" });
  const status = async () => JSON.parse((await run("status", "--json")).out) as { openParts: number; messages: { accepted: number } };
  await expect.poll(async () => (await status()).messages.accepted, { timeout: 30_000 }).toBe(2);
  await expect.poll(async () => (await status()).openParts, { timeout: 30_000 }).toBe(0);
  expect(await told(emulator, 1)).toHaveLength(1);
});

it("says what is wrong with a dry run's arguments", async () => {
  const { run } = await place();
  const channel = await run("route", "--channel", "pigeon", "--peer", "dm:1");
  expect(channel).toMatchObject({ code: 1, out: "" });
  expect(channel.err).toContain("CHANNEL_UNKNOWN");
  const peer = await run("why-not", "--channel", "telegram", "--peer", "2001", "--text", "hello");
  expect(peer.err).toContain("dm:ID");
  expect((await run("why-not", "--channel", "telegram", "--peer", "dm:1")).code).toBe(2);
});

function lineOf(file: string, key: string): number {
  return (
    readFileSync(file, "utf8")
      .split("\n")
      .findIndex((line) => line.includes(key)) + 1
  );
}
