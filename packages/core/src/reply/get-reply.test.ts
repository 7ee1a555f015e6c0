import { type AgentEvent, type AgentRun, GatewayError, silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { BUILT_IN_COMMANDS } from "../commands/registry.ts";
import { type AbortReason, TurnAborted } from "../lanes/abort.ts";
import { fakeMessage } from "../fake-message.ts";
import { fakeSession } from "../sessions/fake-session.ts";
import type { ReplyDraft } from "./draft.ts";
import { fakeTurn } from "./fake-turn.ts";
import { getReplyFromConfig, MAX_ATTEMPTS } from "./get-reply.ts";
import { createRefusalLimit } from "./refusals.ts";
import type { Turn } from "./turn.ts";

const session = fakeSession();

async function drafts(turn: Turn, run: (run: AgentRun) => AsyncIterable<AgentEvent>): Promise<readonly ReplyDraft[]> {
  const clock = createVirtualClock();
  const deps = {
    agent: { run },
    sessions: { load: async () => session, settings: async () => session.settings, write: async () => session, remember: () => {} },
    commands: BUILT_IN_COMMANDS,
    tools: [],
    media: { forPrompt: async () => ({ images: [], files: [] }) },
    refusals: createRefusalLimit(clock),
    untold: async () => [],
    clock,
    logger: silentLogger,
  };
  const all: ReplyDraft[] = [];
  for await (const draft of getReplyFromConfig(turn, deps)) all.push(draft);
  return all;
}

/** Says something, then is aborted. */
function abortedTurn(reason: AbortReason) {
  const controller = new AbortController();
  const run = async function* (): AsyncGenerator<AgentEvent> {
    yield { type: "text", delta: "so far" };
    controller.abort(new TurnAborted(reason));
    controller.signal.throwIfAborted();
  };
  return drafts(fakeTurn({ signal: controller.signal }), run);
}

describe("the reply to a turn", () => {
  it("ends with how the turn ends, whatever the agent does", async () => {
    const silent = await drafts(fakeTurn(), async function* () {});
    expect(silent.at(-1)).toMatchObject({
      type: "close",
      close: { disposition: "failed", decision: { code: "GATEWAY_BUG" }, change: { append: [{ role: "user", text: "hello" }] } },
    });
    const throwing = await drafts(fakeTurn(), () => {
      throw new TypeError("broken");
    });
    expect(throwing.at(-1)).toMatchObject({ close: { disposition: "failed" } });
  });

  it("takes a command from who wrote it, and never from a message that somebody forwards", async () => {
    const asked: string[] = [];
    const run = async function* ({ messages }: AgentRun): AsyncGenerator<AgentEvent> {
      asked.push(messages.at(-1)?.text ?? "");
      yield { type: "message-end", text: "that is a command" };
      yield { type: "done", model: "demo/guide", messages: [], usage: { inputTokens: 0, outputTokens: 0 } };
    };
    const text = "/activation always";
    const own = await drafts(fakeTurn({ text, authority: "owner" }), run);
    expect(own.at(-1)).toMatchObject({ close: { disposition: "command" } });
    const message = fakeMessage({ text, forwarded: { from: "Eve" } });
    const forwarded = await drafts(fakeTurn({ text, message, authority: "owner" }), run);
    expect(forwarded.at(-1)).toMatchObject({ close: { disposition: "replied" } });
    expect(asked).toEqual([text]);
  });

  it("is left open by a shutdown: the turn is resumed", async () => {
    await expect(abortedTurn("shutdown")).rejects.toBeInstanceOf(TurnAborted);
    await expect(abortedTurn("lease-lost")).rejects.toBeInstanceOf(TurnAborted);
  });

  it("keeps what was said when the person stops it, and says nothing more", async () => {
    const all = await abortedTurn("user");
    expect(all.filter(({ type }) => type === "reply")).toEqual([]);
    expect(all.at(-1)).toMatchObject({
      close: { disposition: "aborted", change: { append: [{ role: "user" }, { role: "assistant", text: "so far" }] } },
    });
    expect((await abortedTurn("superseded")).at(-1)).toMatchObject({ close: { disposition: "superseded" } });
  });

  it("tells what was said, and that time ran out", async () => {
    const all = await abortedTurn("timeout");
    expect(all.flatMap((draft) => (draft.type === "reply" ? [draft.payload.text] : []))).toEqual([
      "so far",
      "The answer broke off here: the connection to my language model was lost.",
    ]);
    expect(all.at(-1)).toMatchObject({ close: { disposition: "failed", decision: { code: "MODEL_TIMEOUT" } } });
  });

  it("shows the answer as it grows, over several steps", async () => {
    const all = await drafts(fakeTurn(), async function* () {
      yield { type: "text", delta: "One " };
      yield { type: "text", delta: "moment." };
      yield { type: "message-end", text: "One moment." };
      yield { type: "text", delta: "Here." };
      yield { type: "message-end", text: "Here." };
      yield { type: "done", messages: [], usage: { inputTokens: 0, outputTokens: 0 }, model: "script/one" };
    });
    expect(all.flatMap((draft) => (draft.type === "growing" ? [draft.text] : []))).toEqual(["One ", "One moment.", "One moment.\n\nHere."]);
    expect(all.at(-1)).toMatchObject({ close: { disposition: "replied", model: "script/one" } });
  });

  it("is the answer of the model that came to its end, without what another broke off", async () => {
    const all = await drafts(fakeTurn(), async function* () {
      yield { type: "model-selected", model: "script/one" };
      yield { type: "text", delta: "Once up" };
      yield { type: "model-failed", model: "script/one", code: "MODEL_NETWORK", why: "" };
      yield { type: "model-selected", model: "script/two" };
      yield { type: "text", delta: "All " };
      yield { type: "text", delta: "of it." };
      yield { type: "message-end", text: "All of it." };
      yield { type: "done", messages: [], usage: { inputTokens: 0, outputTokens: 0 }, model: "script/two" };
    });
    expect(all.flatMap((draft) => (draft.type === "growing" ? [draft.text] : []))).toEqual(["Once up", "All ", "All of it."]);
    expect(all.flatMap((draft) => (draft.type === "reply" ? [draft.payload.text] : []))).toEqual(["All of it."]);
  });

  it.each([
    ["MODEL_NETWORK", "The answer broke off here: the connection to my language model was lost."],
    ["MODEL_REFUSED", "My language model declined to answer that."],
  ] as const)("is what was said so far and one sentence when no model comes to an end: %s", async (code, sentence) => {
    const all = await drafts(fakeTurn(), async function* () {
      yield { type: "text", delta: "Once up" };
      yield { type: "model-failed", model: "script/one", code: "MODEL_NETWORK", why: "" };
      yield { type: "model-selected", model: "script/two" };
      yield { type: "model-failed", model: "script/two", code, why: "" };
      throw new GatewayError(code);
    });
    expect(all.flatMap((draft) => (draft.type === "reply" ? [draft.payload.text] : []))).toEqual(["Once up", sentence]);
    expect(all.at(-1)).toMatchObject({ close: { disposition: "failed", change: { append: [{ role: "user" }, { text: "Once up" }] } } });
  });

  it("is one sentence when the turn was started too often, and the agent is not asked", async () => {
    const never = (): AsyncIterable<AgentEvent> => {
      throw new Error("asked");
    };
    const all = await drafts(fakeTurn({ attempts: MAX_ATTEMPTS + 1 }), never);
    expect(all.map(({ type }) => type)).toEqual(["reply", "close"]);
    expect(all.at(-1)).toMatchObject({
      close: { disposition: "failed", decision: { stage: "turn", code: "attempts" }, change: { append: [], reset: false } },
    });
  });

  it("takes a stop word for /stop when it was decided to be one, and only then", async () => {
    const never = (): AsyncIterable<AgentEvent> => {
      throw new Error("asked");
    };
    const stop = { stage: "abort", code: "stop-word", why: "" };
    const all = await drafts(fakeTurn({ text: "停", decisions: [stop], stopped: 2 }), never);
    expect(all[0]).toMatchObject({ payload: { text: "Stopped." } });
    expect((await drafts(fakeTurn({ text: "停" }), never)).at(-1)).toMatchObject({ close: { disposition: "failed" } });
  });
});
