import type { ModelEvent, ModelProvider, ModelRequest, ModelToolCall, ModelUsage } from "../model.ts";

/** One thing that a scripted call does, in order. */
export type ScriptStep =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "think"; readonly text: string }
  | { readonly do: "call"; readonly call: ModelToolCall }
  /** Waits until the gate opens; an abort ends the wait. */
  | { readonly do: "hold"; readonly gate: Gate }
  /** Throws, as a provider does whose call failed. */
  | { readonly do: "fail"; readonly error: unknown }
  /** Never goes on. `deaf`: not even when the call is aborted. */
  | { readonly do: "hang"; readonly deaf: boolean }
  /** Ends the call in another way than the script's own steps say. */
  | { readonly do: "end"; readonly reason: "stop" | "length" | "tool-calls" | "refusal"; readonly usage?: ModelUsage };

/** A point that a call waits at until the test lets it through. */
export interface Gate {
  /** Resolves when a call waits here. */
  readonly reached: Promise<void>;
  /** Lets the call, and all later ones, through. */
  open(): void;
  /** Used by the model: tells that it is here, and waits. */
  pass(): Promise<void>;
}

/** Creates a closed gate. */
export function createGate(): Gate {
  const { promise: opened, resolve: open } = withResolvers();
  const { promise: reached, resolve: reach } = withResolvers();
  return {
    reached,
    open,
    pass() {
      reach();
      return opened;
    },
  };
}

export const say = (text: string): ScriptStep => ({ do: "say", text });
export const think = (text: string): ScriptStep => ({ do: "think", text });
export const callTool = (name: string, args: unknown = {}, id = `call_${name}`): ScriptStep => ({
  do: "call",
  call: { id, name, args: typeof args === "string" ? args : JSON.stringify(args) },
});
export const hold = (gate: Gate): ScriptStep => ({ do: "hold", gate });
export const fail = (error: unknown): ScriptStep => ({ do: "fail", error });
export const hang = ({ deaf = false } = {}): ScriptStep => ({ do: "hang", deaf });
export const end = (reason: "stop" | "length" | "tool-calls" | "refusal", usage?: ModelUsage): ScriptStep => ({
  do: "end",
  reason,
  ...(usage === undefined ? {} : { usage }),
});

/** A provider that does what a test tells it. */
export interface ScriptedModel extends ModelProvider {
  /** Every call so far. */
  readonly requests: readonly ModelRequest[];
  /** The steps of the next call that has no script yet. */
  next(...steps: readonly ScriptStep[]): void;
  /** Resolves with call number `n`, counted from 1, as soon as it has come. */
  called(n: number): Promise<ModelRequest>;
  /** Calls whose stream was ended, by its own end, an error, or the caller. */
  ended(): number;
}

/** Creates a provider. Calls without a script do what `otherwise` says: by default they echo the last user text. */
export function createScriptedModel({
  id = "script",
  otherwise = echo,
}: { readonly id?: string; readonly otherwise?: (request: ModelRequest) => readonly ScriptStep[] } = {}): ScriptedModel {
  const scripts: (readonly ScriptStep[])[] = [];
  const requests: ModelRequest[] = [];
  const waiting: { readonly n: number; readonly tell: (request: ModelRequest) => void }[] = [];
  let ended = 0;
  return {
    id,
    requests,
    about: () => ({ input: ["text", "image"] }),
    ended: () => ended,
    next: (...steps) => void scripts.push(steps),
    called: (n) =>
      new Promise((resolve) => {
        const request = requests[n - 1];
        if (request) resolve(request);
        else waiting.push({ n, tell: resolve });
      }),
    async *stream(request) {
      const steps = scripts.shift() ?? otherwise(request);
      requests.push(request);
      for (const { n, tell } of waiting) if (n === requests.length) tell(request);
      try {
        yield* play(steps, request.signal);
      } finally {
        ended += 1;
      }
    },
  };
}

async function* play(steps: readonly ScriptStep[], signal: AbortSignal): AsyncGenerator<ModelEvent> {
  let tools = false;
  for (const step of steps) {
    signal.throwIfAborted();
    if (step.do === "say") yield { type: "text", delta: step.text };
    else if (step.do === "think") yield { type: "reasoning", delta: step.text };
    else if (step.do === "hold") await orAborted(step.gate.pass(), signal);
    else if (step.do === "fail") throw step.error;
    else if (step.do === "hang") await (step.deaf ? never() : orAborted(never(), signal));
    else if (step.do === "call") {
      tools = true;
      yield { type: "tool-call", call: step.call };
    } else {
      yield { type: "end", reason: step.reason, ...(step.usage === undefined ? {} : { usage: step.usage }) };
      return;
    }
  }
  yield { type: "end", reason: tools ? "tool-calls" : "stop", usage: { inputTokens: 10, outputTokens: 5 } };
}

function echo(request: ModelRequest): readonly ScriptStep[] {
  const last = request.messages.findLast((message) => message.role === "user");
  return [say(`echo: ${last?.text ?? ""}`)];
}

function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    void work.then(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
  });
}

function never(): Promise<void> {
  return new Promise(() => {});
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
