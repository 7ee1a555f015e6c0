import { createTelegramEmulator, type Person, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const OWNER: Person = { userId: 1001, firstName: "Olga" };

/** Two accounts, each with an emulator of its own; the owner is known on both. */
async function twoAccounts(other: { token?: string } = {}) {
  const main = await createTelegramEmulator();
  const second = await createTelegramEmulator({ token: "7000000002:emulated-token-of-another-bot" });
  onTestFinished(() => Promise.all([main.close(), second.close()]).then(() => {}));
  const model = await modelServer();
  const account = `        dmPolicy: allowlist
        allowFrom: ["1002"]
      other:
        token: "${other.token ?? second.token}"
        apiRoot: "${second.apiRoot}"
        dmPolicy: allowlist
        allowFrom: ["1002"]
`;
  const extra = 'owners: ["telegram:other:1001", "telegram:main:1001"]\n';
  // A bot can write only to people who opened its chat.
  main.privateChat(OWNER);
  second.privateChat(OWNER);
  const folder = tempFolder();
  const yaml = telegramYaml({ apiRoot: main.apiRoot, token: main.token, modelUrl: model.url, account, extra });
  return { main, second, folder, yaml, gateway: await gatewayFromYaml(folder, yaml) };
}

function told(emulator: TelegramEmulator): readonly string[] {
  return emulator.audit
    .visible(1001)
    .filter(({ from }) => from === "bot")
    .map(({ text }) => text);
}

it("tells the owner on another account that one needs its operator, and once only", async () => {
  const { main, second, folder, yaml, gateway } = await twoAccounts({ token: "7000000009:a-token-that-was-revoked-by-someone" });
  await main.waitFor(() => told(main).length > 0, { timeoutMs: 15_000 });
  expect(told(main)[0]).toContain("telegram:other needs you");
  expect(told(main)[0]).toContain("token");
  expect(told(main)[0]).not.toContain("7000000009");
  // The hour is part of what makes an alert the same one; a run over the full hour rightly tells twice.
  const hour = Math.floor(Date.now() / 3_600_000);
  await gateway.stop();
  const again = await gatewayFromYaml(folder, yaml);
  await waitUntil(
    async () => (await again.status()).accounts.some(({ state }) => state === "needs-operator"),
    "the account needs its operator again",
  );
  await waitUntil(async () => (await again.status()).openParts === 0, "nothing more is on its way");
  if (Math.floor(Date.now() / 3_600_000) === hour) expect(told(main)).toHaveLength(1);
  expect(told(second)).toEqual([]);
});

it("tells the owner of a dead letter on another account; an alert that dies raises none", async () => {
  const { main, second, gateway } = await twoAccounts();
  const ann: Person = { userId: 1002, firstName: "Ann" };
  const chat = main.privateChat(ann);
  second.setAccess(second.privateChat(OWNER), "blocked");
  main.setAccess(chat, "blocked");
  for (const text of ["one", "two"]) main.send(chat, ann, { text });
  await waitUntil(async () => (await gateway.status()).messages.dispositions["replied"] === 2, "both are answered");
  const refused = () => second.audit.calls("sendMessage").filter(({ outcome }) => outcome.kind === "refused");
  await second.waitFor(() => refused().length > 0, { timeoutMs: 15_000 });
  await waitUntil(async () => (await gateway.status()).openParts === 0, "all parts are settled");
  await gateway.stop();
  expect(refused()).toHaveLength(1);
  expect(String(refused()[0]?.params["text"])).toContain("telegram:main could not be delivered");
  expect(told(main), "the failing account is not used, and the dead alert raised no other").toEqual([]);
});
