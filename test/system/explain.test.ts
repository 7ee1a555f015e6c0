import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { telegramYaml } from "../support/gateway.ts";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const ACCOUNT = `        dmPolicy: allowlist
        allowFrom: ["1001"]
        groupPolicy: allowlist
        groups:
          "-100500": { requireMention: true }
`;

it("explains an answered, a denied, an unmentioned and a duplicate message by file and line", async () => {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  writeFileSync(config, telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url, account: ACCOUNT }));
  const data = join(folder, "data");
  const gateway = await startGatewayProcess(["--config", config, "--data", data]);

  const ann = { userId: 1001, firstName: "Ann" };
  const eve = { userId: 1002, firstName: "Eve" };
  const group = emulator.group({ id: -100500, title: "Team", supergroup: true });
  const open = emulator.group({ id: -1001234567890, title: "Lobby", supergroup: true, username: "Lobby_Chat" });
  const answered = emulator.send(emulator.privateChat(ann), ann, { text: "hello" });
  const denied = emulator.send(emulator.privateChat(eve), eve, { text: "a stranger's secret words" });
  const lobby = emulator.send(open, eve, { text: "anybody here?" });
  const unmentioned = emulator.send(group, ann, { text: "nobody is meant" });
  await emulator.waitFor((audit) => audit.visible(1001).some((message) => message.from === "bot"));
  emulator.repeatUpdate(answered.updateId ?? 0);

  const status = async () =>
    JSON.parse((await trunkline(["status", "--json", "--data", data])).out) as {
      messages: { accepted: number; open: number; duplicates: number; dispositions: Record<string, number> };
    };
  await waitUntil(
    async () => (await status()).messages.duplicates === 1 && (await status()).messages.open === 0,
    "the duplicate is counted",
  );

  const explain = async (chatId: number, messageId: number) =>
    (await trunkline(["explain", `telegram:main:${chatId}/${messageId}`, "--data", data])).out;
  const first = await explain(1001, answered.message.message_id);
  expect(first).toContain("outcome   replied, delivered");
  expect(first).toContain(`${config}:${lineOf(config, "allowFrom")}  channels.telegram.accounts.main.allowFrom`);
  expect(first).toContain("the platform sent it 1 more time; this is the first receipt");

  const second = await explain(1002, denied.message.message_id);
  expect(second).toContain("outcome   denied");
  expect(second).toContain(`${config}:${lineOf(config, "allowFrom")}  channels.telegram.accounts.main.allowFrom`);

  // Links, as people copy them; the second to a group that is not listed, of which no words are kept.
  const links = [`https://t.me/c/1234567890/${lobby.message.message_id}`, `https://t.me/lobby_chat/${lobby.message.message_id}`];
  for (const link of links) expect((await trunkline(["explain", link, "--data", data])).out, link).toContain("group-not-listed");

  const third = await explain(-100500, unmentioned.message.message_id);
  expect(third).toContain("outcome   not-mentioned");
  expect(third).toContain(`${config}:${lineOf(config, "requireMention")}  channels.telegram.accounts.main.groups.-100500.requireMention`);

  const { messages } = await status();
  expect(messages).toEqual({
    accepted: emulator.audit.injected,
    open: 0,
    duplicates: 1,
    dispositions: { replied: 1, denied: 2, "not-mentioned": 1 },
  });
  expect(await gateway.stop()).toBe(0);
  expect(readFileSync(join(data, "trunkline.db")).includes("a stranger's secret words"), "a stranger's words are not kept").toBe(false);
  expect(gateway.log()).not.toContain("hello");
});

function lineOf(file: string, key: string): number {
  return (
    readFileSync(file, "utf8")
      .split("\n")
      .findIndex((line) => line.includes(key)) + 1
  );
}
