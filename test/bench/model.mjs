// @ts-check
import { createServer } from "node:http";
import { once } from "node:events";

/** Pieces of text per answer, and in how many flushes they leave: a real model's tokens do not arrive in one packet. */
const DELTAS = 24;
const FLUSHES = 4;

/** What the model says: a plain answer with a little Markdown, about 180 characters, with the mark of the message in it. @param {string} mark */
export function answerOf(mark) {
  return `You said **${mark}**. That is noted, and here is a short answer to it: the quick brown fox jumps over \`${mark.length}\` lazy dogs, twice, and then it goes home to sleep until the morning.`;
}

/** The mark of a message, such as c12m3, in whatever a bot made of the text. @param {string} text */
export function markIn(text) {
  return /\bc\d+m\d+\b/.exec(text)?.[0];
}

/**
 * @typedef {object} Model
 * @property {string} url
 * @property {ReadonlyMap<string, number>} spent Ms between a request and the last byte of its answer, by the mark in it.
 * @property {() => Promise<void>} close
 */

/**
 * A model server of the OpenAI chat completions protocol that needs no time to think: node:http, streamed, on loopback.
 * @returns {Promise<Model>}
 */
export async function startModel() {
  /** @type {Map<string, number>} */
  const spent = new Map();
  const server = createServer((request, response) => {
    const started = performance.now();
    /** @type {Buffer[]} */
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const mark = lastMark(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.once("finish", () => spent.set(mark, performance.now() - started));
      stream(response, piecesOf(answerOf(mark)), 0);
    });
  });
  server.keepAliveTimeout = 75_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    spent,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Sends the pieces from `from` on, a flush per round of the event loop. @param {import("node:http").ServerResponse} response @param {readonly object[]} pieces @param {number} from */
function stream(response, pieces, from) {
  const until = Math.min(from + DELTAS / FLUSHES, pieces.length);
  response.write(pieces.slice(from, until).map(event).join(""));
  if (until < pieces.length) setImmediate(stream, response, pieces, until);
  else response.end(`${END}data: [DONE]\n\n`);
}

/** @param {object} value */
const event = (value) => `data: ${JSON.stringify(value)}\n\n`;
const END = event({
  id: "bench",
  object: "chat.completion.chunk",
  model: "echo",
  choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
});

/** @param {string} answer */
function piecesOf(answer) {
  const size = Math.ceil(answer.length / DELTAS);
  return Array.from({ length: Math.ceil(answer.length / size) }, (_, index) => ({
    id: "bench",
    object: "chat.completion.chunk",
    model: "echo",
    choices: [{ index: 0, delta: { content: answer.slice(index * size, (index + 1) * size) }, finish_reason: null }],
  }));
}

/** The mark in the last message of the person. @param {string} body */
function lastMark(body) {
  /** @type {{ messages: { role: string, content: unknown }[] }} */
  const { messages } = JSON.parse(body);
  const last = messages.findLast(({ role }) => role === "user");
  return markIn(JSON.stringify(last?.content)) ?? "c0m0";
}
