// @ts-check
// The reference: a grammY bot as one writes it in an evening. It keeps nothing and promises nothing.
// node bare-bot.mjs TOKEN API_ROOT [MODEL_URL]; without a model server it echoes.
import { createRequire } from "node:module";

// grammY belongs to the Telegram channel, so it is found from there.
const { Bot } = createRequire(new URL("../../packages/channel-telegram/package.json", import.meta.url))("grammy");
const [token, apiRoot, modelUrl] = process.argv.slice(2);
const bot = new Bot(token, { client: { apiRoot } });

/** The last reply of each chat: chats side by side, the messages of one chat in order, as a gateway does. @type {Map<number, Promise<unknown>>} */
const chats = new Map();

bot.on("message:text", (/** @type {any} */ context) => {
  const before = chats.get(context.chat.id) ?? Promise.resolve();
  const reply = before.then(async () => context.reply(modelUrl ? await ask(context.message.text) : context.message.text)).catch(console.error);
  chats.set(context.chat.id, reply);
  void reply.then(() => chats.get(context.chat.id) === reply && chats.delete(context.chat.id));
});

/** The model's answer to a text, by streaming HTTP. @param {string} text */
async function ask(text) {
  const response = await fetch(`${modelUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer test-key-000" },
    body: JSON.stringify({ model: "echo", stream: true, messages: [{ role: "user", content: text }] }),
  });
  if (!response.ok || response.body === null) throw new Error(`the model server answered ${response.status}`);
  let answer = "";
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: {")) answer += JSON.parse(line.slice(6)).choices[0].delta.content ?? "";
    }
  }
  return answer;
}

process.on("SIGTERM", () => process.exit(0));
await bot.start();
