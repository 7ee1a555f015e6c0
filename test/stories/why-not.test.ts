import { join } from "node:path";
import { type DryRunQuery, openStore } from "@trunkline/core";
import { type InboundMessage, systemClock } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { expect, it, onTestFinished } from "vitest";
import { explainMessage } from "@trunkline/core";
import { directMessage, pipelineOn, platform } from "../support/pipeline.ts";
import { tempFolder } from "../support/temp-folder.ts";

const YAML = `version: 1
owners: ["telegram:main:1"]
agents: { list: [{ id: aria }, { id: helpdesk }] }
channels:
  telegram:
    accounts:
      main:
        token: "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        allowFrom: ["2"]
        groups:
          "-100": { agent: helpdesk, allowFrom: ["2", "3"] }
          "-200": { requireMention: false }
          "-200:7": { requireMention: true }
bindings:
  - { agent: helpdesk, match: { peer: "dm:2" } }
`;

interface Case {
  readonly what: string;
  readonly query: Omit<DryRunQuery, "channel">;
  readonly outcome: string;
}

const CASES: readonly Case[] = [
  { what: "a stranger", query: { peer: "dm:9" }, outcome: "pairing" },
  { what: "an owner", query: { peer: "dm:1" }, outcome: "failed" },
  { what: "a listed person", query: { peer: "dm:2", text: "hello" }, outcome: "failed" },
  { what: "a listed person's command", query: { peer: "dm:2", text: "/whoami" }, outcome: "command" },
  { what: "an empty message", query: { peer: "dm:2", text: "  " }, outcome: "ignored" },
  { what: "/stop of a listed person", query: { peer: "dm:2", text: "/stop" }, outcome: "command" },
  { what: "an unlisted group", query: { peer: "group:-300", sender: "2" }, outcome: "denied" },
  { what: "an unlisted sender in a listed group", query: { peer: "group:-100", sender: "9" }, outcome: "denied" },
  { what: "a listed sender who means nobody", query: { peer: "group:-100", sender: "2" }, outcome: "not-mentioned" },
  { what: "a listed sender who means the bot", query: { peer: "group:-100", sender: "2", mention: true }, outcome: "failed" },
  { what: "a group that answers always", query: { peer: "group:-200", sender: "9" }, outcome: "failed" },
  { what: "its topic that does not", query: { peer: "group:-200:7", sender: "9" }, outcome: "not-mentioned" },
  { what: "a command without the right", query: { peer: "group:-200", sender: "9", text: "/status" }, outcome: "denied" },
];

it.each(CASES)("a dry run decides as the gateway does, by the same lines: $what", async ({ query, outcome }) => {
  const clock = createVirtualClock();
  const store = await openStore({ url: `sqlite:${join(tempFolder(), "trunkline.db")}`, clock: systemClock });
  const telegram = platform();
  const pipeline = await pipelineOn(YAML, store, clock, telegram.transport);
  onTestFinished(async () => {
    await pipeline.stop(0);
    await store.close();
  });
  const before = store.stats().commits;
  const run = await pipeline.dryRun({ channel: "telegram", ...query });
  expect(store.stats().commits, "nothing is written").toEqual(before);
  expect(telegram.sent, "nothing is sent").toEqual([]);

  await pipeline.receive([messageOf(query, run.sender, clock)]);
  await pipeline.idle();
  const real = await explainMessage("last", store);
  expect(real.disposition).toBe(outcome);
  // The model of this pipeline cannot be reached; a dry run supposes that it can.
  expect(run.outcome).toBe(outcome === "failed" ? "replied" : outcome);
  const decided = run.decisions.filter(({ stage }) => stage !== "agent");
  expect(decided).toEqual(real.decisions.filter(({ stage }) => stage !== "agent"));
  for (const decision of decided) if (decision.path !== undefined) expect(decision.at).toMatch(/trunkline\.yaml:\d+$|^built-in default$/);
});

function messageOf(query: Case["query"], sender: string, clock: ReturnType<typeof createVirtualClock>): InboundMessage {
  const [kind, id = "", threadId] = query.peer.split(":");
  const message = directMessage(sender, clock, query.text ?? "Hello there.");
  if (kind === "dm") return message;
  return {
    ...message,
    conversation: { ...message.conversation, kind: "group", id, ...(threadId === undefined ? {} : { threadId }) },
    mentions: { bot: query.mention ?? false, others: [] },
  };
}

it.each([
  [{ peer: "dm:@ann" }, "numeric id"],
  [{ peer: "group:the team" }, "numeric chat id"],
  [{ peer: "dm:-100" }, "-100 is a group: write group:-100"],
  [{ peer: "group:100" }, "100 is a person: write dm:100"],
  [{ peer: "dm:tg%3A2" }, "is written 2 here"],
  [{ peer: "group:-100", sender: "@ann" }, "names change hands"],
  [{ peer: "222" }, "write dm:ID"],
  [{ peer: "dm:2", account: "nope" }, "it has main"],
])("a dry run of %j says what is wrong with it", async (query, hint) => {
  const clock = createVirtualClock();
  const store = await openStore({ url: `sqlite:${join(tempFolder(), "trunkline.db")}`, clock: systemClock });
  const pipeline = await pipelineOn(YAML, store, clock, platform().transport);
  onTestFinished(async () => {
    await pipeline.stop(0);
    await store.close();
  });
  await expect(pipeline.dryRun({ channel: "telegram", ...query })).rejects.toMatchObject({
    code: "GATEWAY_USAGE",
    message: expect.stringContaining(hint) as string,
  });
});
