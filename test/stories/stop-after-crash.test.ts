import { join } from "node:path";
import { type InboundMessage, type OutboundPart, systemClock } from "@trunkline/plugin-sdk";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { acceptInbound, type InboxRow, lastInbound } from "../../packages/core/src/store/inbox.ts";
import { turnIdOf } from "../../packages/core/src/reply/rows.ts";
import { openStore } from "../../packages/core/src/store/open.ts";
import { insertParts, type NewPart, recordReceipt } from "../../packages/core/src/store/outbox.ts";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { echoAnswer, modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const ANN = { userId: 1001, firstName: "Ann" };

/** The message that comes `n` after the one that a row is of, accepted and without an outcome, as a crash leaves it. */
function accepted(row: InboxRow, n: number, text: string, decisionsJson: string): InboxRow {
  const platformId = String(Number(row.platformId) + 100 + n);
  const bodyJson = JSON.stringify({ ...(JSON.parse(row.bodyJson!) as object), id: platformId, text });
  return { ...row, id: `${row.id}${n}`, platformId, bodyJson, decisionsJson, state: "open", disposition: null, delivery: null };
}

/** A block of the answer to a message, as a part of the outbox. */
function block(row: InboxRow, n: number, text: string): NewPart {
  const { conversation } = JSON.parse(row.bodyJson!) as InboundMessage;
  const id = `ob_${row.id.slice(3)}${n}`;
  const part: OutboundPart = {
    id,
    key: `key-${n}`,
    conversation,
    text: { text, plain: text, length: text.length },
    turn: turnIdOf(row.id),
  };
  const bodyJson = JSON.stringify(part);
  return {
    id,
    conv: row.conv,
    seq: row.seq,
    part: n,
    turn: turnIdOf(row.id),
    kind: "block",
    key: part.key,
    op: "send",
    bodyJson,
    createdAt: 1,
  };
}

it("a stop that was accepted before a crash counts after it: what it stopped is not answered, what of it waits is not sent, and the person is told", async () => {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const account = '        dmPolicy: allowlist\n        allowFrom: ["1001"]\n';
  const yaml = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url, account });
  const before = await gatewayFromYaml(folder, yaml);
  emulator.send(emulator.privateChat(ANN), ANN, { text: "first" });
  await emulator.waitFor((audit) => audit.visibleFromBot().length === 1);
  await before.stop();

  const store = await openStore({ url: `sqlite:${join(folder, "data", "trunkline.db")}`, clock: systemClock });
  await store.write(async (tx) => {
    const row = (await lastInbound(tx))!;
    const second = accepted(row, 1, "second", row.decisionsJson);
    await acceptInbound(tx, second);
    // A block that was delivered, and one that waits.
    const [shown] = await insertParts(tx, [block(second, 0, "shown"), block(second, 1, "not shown")]);
    await recordReceipt(tx, { id: shown!.id, receiptJson: '{"messageId":"999"}', sentAt: row.receivedAt });
    await acceptInbound(tx, accepted(row, 2, "/stop", '[{"stage":"abort","code":"stop-command","why":"the message asks to stop"}]'));
  }, "durable");
  await store.close();

  const after = await gatewayFromYaml(folder, yaml);
  await waitUntil(async () => {
    const { messages, openParts } = await after.status();
    return messages.open + openParts === 0;
  }, "everything has an outcome");
  expect(emulator.audit.visibleFromBot().map(({ text }) => text)).toEqual([echoAnswer("first").replaceAll("*", ""), "Stopped."]);
  expect((await after.status()).messages.dispositions).toEqual({ replied: 1, aborted: 1, command: 1 });
});
