import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTelegramEmulator, type TelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Gateway } from "../../packages/gateway/src/gateway.ts";
import { startGatewayFromYaml } from "../support/gateway.ts";
import { MODEL_WIRES, type ModelWire } from "../support/model-wires.ts";

/** Stands in every body that a provider fails with. */
const WORDS = "PROVIDERS-OWN-WORDS";
const FIRST = "The first half of it";
const WHOLE = "An answer from its beginning to its end.";
const UNAVAILABLE = "I cannot reach my language model right now. Please try again in a moment.";
const KEY_REFUSED = "My language model refused the gateway's key. The owner of this bot has to look at it.";
const DECLINED = "My language model declined to answer that.";
const BROKE_OFF = [FIRST, "The answer broke off here: the connection to my language model was lost."];

interface Failure {
  readonly name: string;
  /** What the server does with each call. */
  answer(wire: ModelWire, response: ServerResponse, body: string): void;
  /** What a person reads when there is no other model. */
  readonly alone: readonly string[];
  /** What a person reads when there is one; absent: its answer. */
  readonly next?: readonly string[];
  /** Of the provider, in YAML. */
  readonly keys?: string;
  /** Calls of an agent with another model; absent: not said. */
  readonly calls?: number;
}

const refuse =
  (status: number, headers: Readonly<Record<string, string>> = {}): Failure["answer"] =>
  (wire, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(wire.error(status, WORDS));
const stream = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(body);
};

const FAILURES: readonly Failure[] = [
  { name: "429 for a minute", answer: refuse(429, { "retry-after": "60" }), alone: [UNAVAILABLE], calls: 1 },
  { name: "429 for a second", answer: refuse(429, { "retry-after": "1" }), alone: [UNAVAILABLE], calls: 2 },
  { name: "429 that does not say for how long", answer: refuse(429), alone: [UNAVAILABLE], calls: 2 },
  { name: "500", answer: refuse(500), alone: [UNAVAILABLE], calls: 2 },
  { name: "529", answer: refuse(529), alone: [UNAVAILABLE], calls: 2 },
  { name: "a bad key", answer: refuse(401), alone: [KEY_REFUSED], calls: 1 },
  {
    name: "a prompt that is too long",
    answer: (wire, response) => void response.writeHead(400, { "content-type": "application/json" }).end(wire.tooLong(WORDS)),
    alone: ["This conversation has become too long for my language model. Send /new to start afresh."],
    keys: ", models: { MODEL: { contextWindow: 8192 } }",
    calls: 1,
  },
  {
    name: "a server that says nothing",
    answer: () => {},
    alone: ["My language model did not answer in time. Please try again."],
    // How often it is asked is not counted: a call may be given up before the server has seen it.
    keys: ", timeouts: { firstByteMs: 2500 }",
  },
  {
    name: "a stream that falls silent",
    answer: (wire, response) => stream(response, wire.begins(FIRST)),
    alone: BROKE_OFF,
    keys: ", timeouts: { idleMs: 2500 }",
    calls: 2,
  },
  {
    name: "a stream that ends early",
    answer: (wire, response) => {
      stream(response, wire.begins(FIRST));
      response.end();
    },
    alone: BROKE_OFF,
    calls: 2,
  },
  {
    name: "a connection that is cut in the middle of a stream",
    answer: (wire, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(wire.begins(FIRST), () => response.socket?.destroy());
    },
    alone: BROKE_OFF,
    calls: 2,
  },
  {
    name: "a connection that is cut before the first word",
    answer: (_wire, response) => void response.socket?.destroy(),
    alone: [UNAVAILABLE],
    calls: 2,
  },
  {
    name: "an error in the middle of a stream",
    answer: (wire, response) => {
      stream(response, wire.begins(FIRST) + wire.errorEvent(WORDS));
      response.end();
    },
    alone: BROKE_OFF,
    calls: 2,
  },
  {
    name: "a page instead of an answer",
    answer: (_wire, response) => void response.writeHead(200, { "content-type": "text/html" }).end(`<html><body>${WORDS}</body></html>`),
    alone: [UNAVAILABLE],
  },
  {
    name: "a refusal",
    answer: (wire, response) => {
      stream(response, wire.begins("") + wire.refuses);
      response.end();
    },
    alone: [DECLINED],
    calls: 1,
  },
  {
    name: "a refusal after a few words",
    answer: (wire, response) => {
      stream(response, wire.begins(FIRST) + wire.refuses);
      response.end();
    },
    alone: [FIRST, DECLINED],
    calls: 1,
  },
  ...(["a tool that does not exist", "arguments that are no JSON", "arguments of the wrong type"] as const).map((name, index): Failure => ({
    name: `a call with ${name}`,
    answer(wire, response, body) {
      const [tool, args] = [["launch_missiles", "{}"] as const, ["now", '{"zone":'] as const, ["now", '{"zone":7}'] as const][index]!;
      stream(response, wire.hasResult(body) ? wire.answers("Then without the tool.") : wire.calls(tool, args));
      response.end();
    },
    alone: ["Then without the tool."],
    next: ["Then without the tool."],
    calls: 2,
  })),
];

/** Every failure on every wire, of an agent with another model and of one without. Each has a provider, an agent and a person of its own. */
const CASES = MODEL_WIRES.flatMap((wire) =>
  FAILURES.flatMap((failure) => (["next", "alone"] as const).map((kind) => ({ wire, failure, kind }))),
).map((one, index) => ({ ...one, id: `c${index}`, userId: 10_000 + index }));
const GOOD = MODEL_WIRES.map((wire) => ({ wire, id: `good-${wire.name}` }));

/** Calls by the first part of the path. */
const calls = new Map<string, number>();
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [, id = ""] = (request.url ?? "").split("/");
  calls.set(id, (calls.get(id) ?? 0) + 1);
  const one = CASES.find((candidate) => candidate.id === id);
  const good = GOOD.find((candidate) => candidate.id === id);
  if (one !== undefined) one.failure.answer(one.wire, response, Buffer.concat(chunks).toString());
  else if (good !== undefined) response.writeHead(200, { "content-type": "text/event-stream" }).end(good.wire.answers(WHOLE));
  else response.writeHead(404).end();
});

const folder = mkdtempSync(join(tmpdir(), "trunkline-failures-"));
let emulator: TelegramEmulator;
let gateway: Gateway;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  emulator = await createTelegramEmulator();
  gateway = await startGatewayFromYaml(folder, yaml(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  for (const { userId } of CASES)
    emulator.send(emulator.privateChat({ userId, firstName: "Ann" }), { userId, firstName: "Ann" }, { text: "hello" });
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  await emulator.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function yaml(origin: string): string {
  const provider = (id: string, wire: ModelWire, more = ""): string =>
    `  ${id}: { type: ${wire.name}, baseUrl: "${origin}/${id}${wire.path}", apiKey: key-of-${id}${more} }\n`;
  const lines = {
    providers: [
      ...GOOD.map(({ id, wire }) => provider(id, wire, `, models: { ${wire.model}: { contextWindow: 4000000 } }`)),
      ...CASES.map(({ id, wire, failure }) => provider(id, wire, failure.keys?.replace("MODEL", wire.model))),
    ],
    agents: CASES.map(({ id, wire, kind }) => {
      const fallbacks = kind === "next" ? `, fallbacks: [good-${wire.name}/${wire.model}]` : "";
      return `    - { id: ${id}, model: { primary: ${id}/${wire.model}${fallbacks} } }\n`;
    }),
    bindings: CASES.map(({ id, userId }) => `  - { agent: ${id}, match: { channel: telegram, peer: "dm:${userId}" } }\n`),
  };
  return `version: 1
gateway: { port: 0, maxConcurrentTurns: 1000 }
providers:
${lines.providers.join("")}agents:
  list:
${lines.agents.join("")}bindings:
${lines.bindings.join("")}channels:
  telegram:
    accounts:
      main: { token: "${emulator.token}", apiRoot: "${emulator.apiRoot}", mode: polling, dmPolicy: open, allowFrom: ["*"] }
`;
}

/** Waits until a person reads this of the bot and nothing else. On a busy machine an answer is seen growing before it is whole. */
async function reads(userId: number, expected: readonly string[]): Promise<void> {
  const read = (): readonly string[] =>
    emulator.audit
      .visible(userId)
      .filter(({ from }) => from === "bot")
      .map(({ text }) => text);
  await expect.poll(read, { timeout: 60_000 }).toEqual(expected);
}

describe.each(MODEL_WIRES)("a model of the kind $name that fails", ({ name }) => {
  const mine = CASES.filter(({ wire }) => wire.name === name).map((one) => ({ ...one, by: one.failure.name }));

  it.each(mine.filter(({ kind }) => kind === "next"))(
    "by $by gives way, and the person reads one whole answer",
    async ({ userId, id, failure }) => {
      const expected = failure.next ?? [WHOLE];
      await reads(userId, expected);
      if (failure.calls !== undefined) expect(calls.get(id)).toBe(failure.calls);
    },
    70_000,
  );

  it.each(mine.filter(({ kind }) => kind === "alone"))(
    "by $by with no other to ask is told in one sentence",
    async ({ userId, failure }) => {
      await reads(userId, failure.alone);
    },
    70_000,
  );
});

it("tells nobody what a provider said", async () => {
  for (const { userId, kind, failure } of CASES) await reads(userId, kind === "alone" ? failure.alone : (failure.next ?? [WHOLE]));
  const { messages } = await gateway.status();
  expect(messages.accepted).toBe(CASES.length);
  expect(JSON.stringify(emulator.audit.visible())).not.toContain(WORDS);
}, 70_000);
