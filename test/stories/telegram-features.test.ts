import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator, type TelegramEmulator, type VisibleMessage } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatewayFromYaml, telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

const ANN = { userId: 1001, firstName: "Ann" };

async function running(answer: (text: string) => string, account?: string) {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer(answer);
  const folder = tempFolder();
  const gateway = await gatewayFromYaml(
    folder,
    telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url, ...(account ? { account } : {}) }),
  );
  return { emulator, gateway, folder, model };
}

function fromBot(emulator: TelegramEmulator, chatId: number): readonly VisibleMessage[] {
  return emulator.audit.visible(chatId).filter((message) => message.from === "bot");
}

async function answer(emulator: TelegramEmulator, chatId: number, count = 1): Promise<readonly VisibleMessage[]> {
  await emulator.waitFor(() => fromBot(emulator, chatId).length >= count, { timeoutMs: 15_000 });
  return fromBot(emulator, chatId);
}

describe("on Telegram", () => {
  it("sends Markdown as text with entities, and long answers as several messages that fit", async () => {
    const long = Array.from({ length: 300 }, (_, line) => `${line}. A sentence of the **long** answer, to be cut somewhere sensible.`).join(
      "\n",
    );
    const { emulator } = await running((text) => (text.includes("long") ? long : "**bold** and `code` and [a link](https://example.com/)"));
    const chat = emulator.privateChat(ANN);
    emulator.send(chat, ANN, { text: "hi" });
    const [short] = await answer(emulator, 1001);
    expect(short?.text).toBe("bold and code and a link");
    expect(short?.entities.map(({ type }) => type)).toEqual(["bold", "code", "text_link"]);
    emulator.send(chat, ANN, { text: "a long one" });
    await emulator.waitFor(() => fromBot(emulator, 1001).some((message) => message.text.includes("299. A sentence")), {
      timeoutMs: 15_000,
    });
    const parts = fromBot(emulator, 1001).slice(1);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) expect(part.text.length).toBeLessThanOrEqual(4096);
  });

  it("answers in the topic, and quotes when the agent asks for it", async () => {
    const { emulator } = await running(
      () => "[[reply_to_current]] here",
      '        dmPolicy: open\n        allowFrom: ["*"]\n        groupPolicy: open\n',
    );
    const forum = emulator.group({ id: -100900, title: "Forum", supergroup: true, forum: true });
    emulator.setTopic(forum, 7, "open");
    const sent = emulator.send(forum, ANN, { text: `@${emulator.bot.username} hello`, threadId: 7 });
    const [reply] = await answer(emulator, -100900);
    expect(reply).toMatchObject({ threadId: 7, replyTo: sent.messageId, text: "here" });
  });

  it("keeps quiet in a group until it is mentioned, and shows typing when it answers", async () => {
    const { emulator, gateway } = await running(
      (text) => `heard ${text.length}`,
      '        groupPolicy: open\n        dmPolicy: open\n        allowFrom: ["*"]\n',
    );
    const group = emulator.group({ id: -100901, title: "Team", supergroup: true });
    emulator.send(group, ANN, { text: "just talking" });
    emulator.send(group, ANN, { text: `@${emulator.bot.username} and you?` });
    expect(await answer(emulator, -100901)).toHaveLength(1);
    expect(emulator.audit.calls("sendChatAction").some((call) => call.chatId === -100901)).toBe(true);
    await waitUntil(async () => (await gateway.status()).messages.open === 0, "all is done");
    expect((await gateway.status()).messages.dispositions).toEqual({ replied: 1, "not-mentioned": 1 });
  });

  it("takes a photo in, sends a document out, and refuses a file outside the workspace", async () => {
    const { emulator, folder } = await running((text) =>
      text.includes("report")
        ? "Here it is.\nMEDIA: report.txt"
        : text.includes("secret")
          ? "MEDIA: ../../../trunkline.yaml"
          : "I see a picture.",
    );
    const workspace = join(folder, "data", "agents", "aria", "workspace");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(join(workspace, "report.txt"), "numbers");
    const chat = emulator.privateChat(ANN);
    emulator.send(chat, ANN, {
      photo: {
        bytes: Buffer.from(
          "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082",
          "hex",
        ),
        name: "a.png",
      },
      caption: "what is this?",
    });
    expect((await answer(emulator, 1001))[0]?.text).toBe("I see a picture.");
    emulator.send(chat, ANN, { text: "send the report" });
    const [, document] = await answer(emulator, 1001, 2);
    expect(document).toMatchObject({ text: "Here it is.", media: { kind: "document" } });
    emulator.send(chat, ANN, { text: "send the secret" });
    const [, , refused] = await answer(emulator, 1001, 3);
    expect(refused?.media).toBeUndefined();
    expect(refused?.text).toBe("(file not available)");
  });

  it("answers /help, /status, /new and /stop, and refuses commands of people who may only talk", async () => {
    const { emulator } = await running(() => "hello", '        dmPolicy: open\n        allowFrom: ["*", "1001"]\n');
    const ann = emulator.privateChat(ANN);
    const bob = { userId: 1002, firstName: "Bob" };
    // One after the other: /stop would drop what waits.
    for (const [index, text] of ["/help", "/status", "/stop", "/new"].entries()) {
      emulator.send(ann, ANN, { text });
      await answer(emulator, 1001, index + 1);
    }
    emulator.send(emulator.privateChat(bob), bob, { text: "/status" });
    const texts = (await answer(emulator, 1001, 4)).map((message) => message.text);
    expect(texts[0]).toContain("/status");
    expect(texts[1]).toContain("mock/echo");
    expect(texts[2]).toBe("Nothing was running.");
    expect(texts[3]).toContain("Fresh start");
    expect((await answer(emulator, 1002))[0]?.text).toContain("not use commands");
  });
});
