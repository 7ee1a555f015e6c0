// @ts-check
// The references: a grammY bot as one writes it in an evening. It keeps nothing and promises nothing.
// node bare-bot.mjs TOKEN API_ROOT [MODEL_URL fetch|http]; without a model server it echoes.
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createRequire } from "node:module";

// grammY belongs to the Telegram channel, so it is found from there.
const { Bot } = createRequire(new URL("../../packages/channel-telegram/package.json", import.meta.url))("grammy");
const [token, apiRoot, modelUrl, client] = process.argv.slice(2);
const bot = new Bot(token, { client: { apiRoot } });

/** The last reply of each chat: chats side by side, the messages of one chat in order, as a gateway does. @type {Map<number, Promise<unknown>>} */
const chats = new Map();

bot.on("message:text", (/** @type {any} */ context) => {
  const before = chats.get(context.chat.id) ?? Promise.resolve();
  const reply = before
    .then(async () => context.reply(modelUrl ? await ask(context.message.text) : context.message.text))
    .catch(console.error);
  chats.set(context.chat.id, reply);
  void reply.then(() => chats.get(context.chat.id) === reply && chats.delete(context.chat.id));
});

/** The model's answer to a text, by streaming HTTP. @param {string} text */
async function ask(text) {
  const body = JSON.stringify({ model: "echo", stream: true, messages: [{ role: "user", content: text }] });
  const decoder = new TextDecoder();
  let answer = "";
  let rest = "";
  for await (const piece of await (client === "http" ? postByHttp(body) : postByFetch(body))) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: {")) answer += JSON.parse(line.slice(6)).choices[0].delta.content ?? "";
    }
  }
  return answer;
}

const ADDRESS = `${modelUrl}/chat/completions`;
const POST = { method: "POST", headers: { "content-type": "application/json", authorization: "Bearer test-key-000" } };

/** As most bots do it. @param {string} body @returns {Promise<AsyncIterable<Uint8Array>>} */
async function postByFetch(body) {
  const response = await fetch(ADDRESS, { ...POST, body });
  if (!response.ok || response.body === null) throw new Error(`the model server answered ${response.status}`);
  return response.body;
}

const agent = new Agent({ keepAlive: true });

/** With the least that Node can do it with. @param {string} body @returns {Promise<AsyncIterable<Uint8Array>>} */
async function postByHttp(body) {
  const sent = request(ADDRESS, { ...POST, agent });
  sent.end(body);
  const [response] = await once(sent, "response");
  return response;
}

process.on("SIGTERM", () => process.exit(0));
await bot.start();
