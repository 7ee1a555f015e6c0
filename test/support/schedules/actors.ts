import { setImmediate } from "node:timers";
import {
  type AgentRuntime,
  GatewayError,
  type InboundMessage,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from "@trunkline/plugin-sdk";

/** Rounds of the event loop: what is ready runs, and what that makes ready, too. */
export async function rounds(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** What a model call is told to do next. */
export type CallEnd = "answer" | "tool" | "fail";

/** A model call that waits to be told how it ends. */
export interface OpenCall {
  /** Of the messages that its turn answers. */
  readonly tokens: ReadonlySet<string>;
  end(how: CallEnd): void;
}

/** What stands before it in a prompt was not said to the agent. */
const TO_YOU = "(And this is to you:)";

/** The tokens of the messages that a prompt asks to answer. Those of messages that were left out stand in quotes. */
export function tokensIn(text: string): readonly string[] {
  return [
    ...text
      .split(TO_YOU)
      .at(-1)!
      .matchAll(/(?<!")tok:(\w+)/g),
  ].map((match) => match[1]!);
}

/** The agents and models of one process: every turn is watched, and every model call waits for the scheduler. */
export interface Brain {
  readonly calls: Set<OpenCall>;
  readonly model: ModelProvider;
  /** What was seen that must never be. */
  readonly broken: string[];
  agent(loop: AgentRuntime): AgentRuntime;
}

export function createBrain(): Brain {
  const calls = new Set<OpenCall>();
  const broken: string[] = [];
  const running = new Set<string>();
  const turns = new WeakMap<AbortSignal, Set<string>>();
  return {
    calls,
    broken,
    model: { id: "script", stream: (request) => stream(request, turns.get(request.signal) ?? new Set(), calls) },
    agent: (loop) => ({
      async *run(run) {
        const place = run.conversation.id;
        if (running.has(place)) broken.push(`two turns of ${place} ran at once`);
        running.add(place);
        const tokens = new Set(tokensIn(run.messages.at(-1)!.text));
        turns.set(run.signal, tokens);
        const journal = {
          ...run.journal,
          async heard() {
            const heard = await run.journal.heard();
            for (const { text } of heard) for (const token of tokensIn(text)) tokens.add(token);
            return heard;
          },
        };
        try {
          yield* loop.run({ ...run, journal });
        } finally {
          running.delete(place);
        }
      },
    }),
  };
}

let callCount = 0;

async function* stream(request: ModelRequest, tokens: ReadonlySet<string>, calls: Set<OpenCall>): AsyncGenerator<ModelEvent> {
  let call: OpenCall | undefined;
  try {
    const how = await new Promise<CallEnd>((resolve, reject) => {
      call = { tokens, end: resolve };
      calls.add(call);
      request.signal.addEventListener("abort", () => reject(request.signal.reason as Error), { once: true });
    });
    if (how === "fail") throw new GatewayError("MODEL_REFUSED", { detail: { model: "script/one" } });
    if (how === "tool") {
      callCount += 1;
      yield { type: "tool-call", call: { id: `c${callCount}`, name: "look", args: "{}" } };
      yield { type: "end", reason: "tool-calls" };
      return;
    }
    yield { type: "text", delta: `A[${[...tokens].join(" ")}]` };
    yield { type: "end", reason: "stop" };
  } finally {
    calls.delete(call!);
  }
}

/** A message of a person in a conversation of theirs. */
export function said(place: string, over: Partial<InboundMessage>): InboundMessage {
  return {
    kind: "message",
    id: "",
    conversation: { channel: "fake", account: "main", kind: "direct", id: place },
    sender: { id: place, name: place, isBot: false, isSelf: false },
    text: "",
    media: [],
    mentions: { bot: false, others: [] },
    sentAt: 0,
    ...over,
  };
}
