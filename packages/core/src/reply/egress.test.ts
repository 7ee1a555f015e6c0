import { createIds, type OutboundPart, silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import type { Deps } from "../deps.ts";
import { EGRESS_PATHS, type EgressPath } from "../delivery/egress-paths.ts";
import { composeNotice } from "../delivery/notice.ts";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeAccount } from "../fake-config.ts";
import { DIRECT } from "../fake-message.ts";
import type { NewPart } from "../store/outbox.ts";
import { nextBlockEnd } from "../shaping/block-cut.ts";
import { previewText } from "../shaping/preview.ts";
import { startDraftPreview } from "./draft-preview.ts";
import { fakeTurn } from "./fake-turn.ts";
import { Spoken } from "./spoken.ts";
import { createTurnOutbox } from "./turn-outbox.ts";

const LONG = "These words are ordinary and stay. ".repeat(26);
const plainOf = (rows: readonly NewPart[]): string =>
  rows.map(({ bodyJson }) => (JSON.parse(bodyJson) as OutboundPart).text?.plain ?? "").join("\n");

function rig() {
  const clock = createVirtualClock();
  const fake = createFakeChannel();
  const turn = fakeTurn({ channel: fake.plugin });
  const ids = createIds(
    () => 0,
    () => 0.5,
  );
  const deps = {
    clock,
    ids,
    logger: silentLogger,
    // No message is known that could be quoted.
    store: { read: async () => false },
    channels: new Map([["fake", fake.plugin]]),
    outboundMedia: { workspaceOf: () => "", resolve: async () => undefined },
  } as unknown as Deps;
  return { clock, fake, turn, ids, outbox: createTurnOutbox(turn, deps) };
}

/** Everything that a person can see at any moment when a text comes in two pieces, by each way. */
const SEEN: Readonly<Record<EgressPath, (text: string, split: number) => Promise<readonly string[]>>> = {
  final: async (text) => [plainOf((await rig().outbox.compose({ text })).rows)],
  tool: async (text) => [plainOf((await rig().outbox.compose({ text }, "tool")).rows)],
  "tool-send": async (text) => [plainOf((await rig().outbox.compose({ text }, "tool", DIRECT)).rows)],
  error: async (text) => [plainOf((await rig().outbox.compose({ text, isError: true })).rows)],
  async block(text, split) {
    const { turn, outbox } = rig();
    const spoken = new Spoken(turn.journal);
    const seen: string[] = [];
    for (const piece of [LONG + text.slice(0, split), text.slice(split) + LONG]) {
      let rest = spoken.grow(piece);
      for (;;) {
        const end = nextBlockEnd(rest, { idle: true, silentToken: "NO_REPLY" });
        if (end === undefined) break;
        const block = rest.slice(0, end).trimEnd();
        turn.journal.takeBlock({ text: block });
        seen.push(plainOf((await outbox.compose({ text: block }, "block")).rows));
        rest = spoken.grow("");
      }
    }
    seen.push(plainOf((await outbox.compose({ text: spoken.end(LONG + text + LONG).rest })).rows));
    return seen;
  },
  async preview(text, split) {
    const { outbox } = rig();
    const shown = [text.slice(0, split), text].map(async (raw) => {
      const row = await outbox.preview(previewText(raw, { silentToken: "NO_REPLY" }), raw, 0);
      return row ? plainOf([row]) : "";
    });
    return Promise.all(shown);
  },
  async draft(text, split) {
    const { clock, fake, turn } = rig();
    const draft = startDraftPreview(turn, fake.plugin.render({}), fake.transport, clock);
    draft.grow(text.slice(0, split));
    await clock.advance(100);
    draft.grow(text);
    await clock.advance(100);
    return fake.previews.map((update) => update.text?.plain ?? "");
  },
  async notice(text) {
    const { ids, fake } = rig();
    const context = { channel: fake.plugin, account: fakeAccount(), silentToken: "NO_REPLY", ids, now: 0 };
    return [plainOf(composeNotice({ kind: "alert", text, conversation: DIRECT, subject: "x", at: 0 }, context))];
  },
};

/** What steers, with what is left of it to see. */
const CONTROL: readonly string[] = [
  "Fine.\nNO_REPLY",
  "Fine. **NO_REPLY**",
  "HEARTBEAT_OK Fine.",
  "<b>HEARTBEAT_OK</b> Fine.",
  "[[reply_to_current]] Fine.",
  "Fine. [[ reply_to : 42 ]]",
  "[[audio_as_voice]] Fine.",
  '<REPLY_TO id="42">Fine.',
  "<SILENT>zzsecret</SILENT>\nFine.",
  "<think>zzsecret</think>Fine.",
  "<ns:thinking mode='x'>zzsecret</ns:thinking>\n\nFine.",
  "<final>Fine.</final>",
  'Fine.\n<tool_call>{"name":"zzsecret"}</tool_call>',
  'Fine.\n<invoke name="zzsecret"><parameter name="a">b</parameter></invoke>',
  'Fine.\n{"tool_calls":[{"name":"zzsecret"}]}',
  "<|im_start|>assistant\nFine.<|im_end|>",
  "<|channel|>analysis<|message|>zzsecret<|end|><|start|>assistant<|channel|>final<|message|>Fine.<|return|>",
  "Fine.<｜tool▁calls▁begin｜>zzsecret<｜tool▁calls▁end｜>",
];
const FORBIDDEN = /NO_RE|HEARTB|\[\[|zzsecret|<[a-z/|｜]|think|invoke|tool_|im_|channel\|/i;

/** What only speaks about it, or means something by its white space. */
const ORDINARY: readonly string[] = [
  "The word NO_REPLY means silence here.",
  "It is NO_REPLY_NEEDED, as you said.",
  "Write `[[reply_to_current]]` to quote.",
  "Use this:\n```\n<think>x</think>\n  MEDIA: ./a.png\n```\nand go.",
  "A <b> and a [[wiki]] link.",
  "The HEARTBEAT_OK token stands in the middle.",
];

const casings = (text: string): readonly string[] =>
  [...new Set([text, text.toLowerCase(), text.toUpperCase()])].filter((one) => !one.includes('"TOOL_CALLS"'));

describe.each(EGRESS_PATHS)("by the way of a %s", (path) => {
  it.each(CONTROL)("nothing of %j is seen, wherever it is split and however it is written", async (sample) => {
    for (const text of path === "block" ? [sample] : casings(sample)) {
      const all = path === "block" || path === "preview" || path === "draft";
      for (let split = all ? 0 : text.length; split <= text.length; split += 1) {
        const seen = await SEEN[path](text, split);
        // In the middle of a longer text these two are words like any other, by the rules of silence.
        const edge = path !== "block" || !/NO_REPLY|HEARTBEAT/.test(text);
        if (edge) expect(seen.join("\n"), `split at ${split}`).not.toMatch(FORBIDDEN);
        expect((path === "block" ? seen.join(" ") : seen.at(-1))?.toLowerCase(), `split at ${split}`).toContain("fine");
      }
    }
  });

  it.each(ORDINARY)("%j is seen as it is", async (text) => {
    const bare = text.replace(/```\n|`/g, "");
    for (let split = 0; split <= text.length; split += 7) {
      const seen = await SEEN[path](text, split);
      const shown = path === "block" ? seen.join(" ") : (seen.at(-1) ?? "");
      for (const line of bare.split("\n")) expect(shown, `split at ${split}`).toContain(line.trimEnd());
    }
  });
});

it("a way without its guard would be found: the raw text has all of it", () => {
  for (const sample of CONTROL) if (!sample.includes("<final>")) expect(sample).toMatch(FORBIDDEN);
});
