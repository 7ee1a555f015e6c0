import {
  type AgentJournal,
  type AgentRuntime,
  type Clock,
  type CommandDefinition,
  type CommandResult,
  type CommandTurn,
  type Decision,
  describeError,
  type Disposition,
  GatewayError,
  type Logger,
  type ModelMessage,
  type ReplyPayload,
  toGatewayError,
  type ToolDefinition,
  type ToolResult,
} from "@trunkline/plugin-sdk";
import { decideCommand } from "../access/authorise.ts";
import { isStop, mayCommand } from "../inbound/decide.ts";
import { type CommandCall, parseCommand } from "../commands/parse.ts";
import type { SendFromTool } from "../journal/agent-journal.ts";
import { abortReasonOf } from "../lanes/abort.ts";
import { queueSettingsOf } from "../lanes/queue-settings.ts";
import type { InboundMedia } from "../media/inbound-media.ts";
import type { Session, SessionChange, Sessions } from "../sessions/sessions.ts";
import type { ReplyDraft } from "./draft.ts";
import { buildPrompt } from "./prompt.ts";
import type { RefusalLimit } from "./refusals.ts";
import { Spoken } from "./spoken.ts";
import { outputOf, summaryOf, verbosityOf } from "./summaries.ts";
import { textNameOf, textOf } from "./texts.ts";
import type { Turn } from "./turn.ts";

/** Starts of one turn without an end before it is given up. */
export const MAX_ATTEMPTS = 3;

export interface ReplyDeps {
  readonly agent: AgentRuntime;
  readonly sessions: Sessions;
  readonly commands: readonly CommandDefinition[];
  readonly tools: readonly ToolDefinition[];
  readonly media: InboundMedia;
  readonly refusals: RefusalLimit;
  /** What happened since the agent was last asked and is given with the turn's message; see `untoldOf`. */
  readonly untold: (turn: Turn) => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whether a person can see anything of the drafts so far. */
export type IsSeen = () => boolean;

/** What a turn's surroundings offer to the reply while it is made. */
export interface ReplyStage {
  readonly isSeen: IsSeen;
  /** Absent where tools can send nothing. */
  readonly send?: SendFromTool;
}

const EVERYTHING_SEEN: ReplyStage = { isSeen: () => true };

/**
 * The reply to a turn, as drafts: a command answers by itself, everything else goes to the agent. Never throws but for abort by
 * shutdown: a failure becomes one readable sentence and the disposition `failed`.
 */
export async function* getReplyFromConfig(turn: Turn, deps: ReplyDeps, stage: ReplyStage = EVERYTHING_SEEN): AsyncGenerator<ReplyDraft> {
  const session = await deps.sessions.load(turn.sessionKey, turn.agent.id);
  const hopeless = whyHopeless(turn);
  if (hopeless) {
    deps.logger.error({ trace: turn.row.id, turn: turn.id, reason: hopeless.code }, "a turn is given up");
    yield { type: "reply", kind: "final", payload: { text: textOf("crashing", turn.config.config.messages.texts), isError: true } };
    yield close(session, "failed", hopeless, [], UNCHANGED, null);
    return;
  }
  // A stop word stands for /stop; whether it was one was decided, and recorded, when the message was accepted.
  const said = isStop(turn.decisions) ? "/stop" : mayCommand(turn.message) ? turn.text : "";
  const call = parseCommand(said, deps.commands);
  if (call) yield* runCommand(call, turn, session, deps, stage);
  else yield* runPreparedReply(turn, session, { text: turn.text, carried: UNCHANGED, stage }, deps);
}

/** What commands did to the session before it goes on; written with the end of the turn. */
type Carried = Pick<SessionChange, "reset" | "settings">;

const UNCHANGED: Carried = { reset: false };

/** What an agent run starts from, once commands have had their say. */
export interface PreparedReply {
  readonly text: string;
  /** Whether the session starts afresh with this message, and what it remembers from now on. */
  readonly carried: Carried;
  /** Absent: everything is seen at once, and tools send nothing. */
  readonly stage?: ReplyStage;
}

/**
 * Runs the agent on a prepared prompt and yields its answer. Blocks go out at once. What the agent says before a tool call waits for the
 * end like the rest: meanwhile the preview shows it, and a turn that is stopped, or begins again with another model, has left nothing.
 */
export async function* runPreparedReply(
  turn: Turn,
  session: Session,
  prepared: PreparedReply,
  deps: ReplyDeps,
): AsyncGenerator<ReplyDraft> {
  const current = prepared.carried.reset ? { ...session, history: [] } : session;
  const spoken = new Spoken(turn.journal);
  const tried: string[] = [];
  const held = new HeldTexts(turn, spoken);
  const verbosity = verbosityOf(turn);
  const told = new Set<string>();
  let user: ModelMessage = { role: "user", text: prepared.text };
  try {
    const models = [turn.agent.model.primary, ...turn.agent.model.fallbacks];
    const { images, files } = await deps.media.forPrompt(turn, deps.agent.seesImages?.(models) ?? true);
    const prompt = buildPrompt({
      agent: turn.agent,
      channel: turn.channel,
      message: turn.message,
      text: prepared.text,
      named: turn.named,
      before: [...turn.journal.preface, ...(await deps.untold(turn))],
      session: current,
      silentToken: turn.config.config.messages.silentToken,
      images,
      files,
    });
    user = prompt.user;
    const context = { clock: deps.clock, conversation: turn.message.conversation, agent: turn.agent.id, signal: turn.signal };
    const asked = {
      models,
      ...(turn.agent.model.params === undefined ? {} : { params: turn.agent.model.params }),
      ...(turn.agent.thinking === undefined ? {} : { thinking: turn.agent.thinking }),
      messages: prompt.messages,
      tools: deps.tools,
      ...(prepared.stage === undefined ? {} : { isSeen: prepared.stage.isSeen }),
    };
    const journal = watchSends(
      turn,
      turn.journal.forAgent({ ...asked, context, logger: deps.logger, send: prepared.stage?.send, listen: turn.steering.listen }),
    );
    const { conversation, agent, signal } = context;
    for await (const event of deps.agent.run({ ...asked, turn: turn.id, agent, conversation, signal, journal })) {
      if (event.type === "text") {
        yield { type: "growing", text: spoken.grow(event.delta) };
      } else if (event.type === "block") {
        yield* held.asBlocks();
        const place = turn.journal.takeBlock(event.payload);
        if (place !== undefined) yield { type: "reply", kind: "block", payload: event.payload, place };
      } else if (event.type === "message-end") {
        held.take(spoken.end(event.text));
        yield { type: "paused" };
      } else if (event.type === "model-selected") {
        turn.prefix.select(event.model, turn.agent.thinking);
      } else if (event.type === "tool-start") {
        if (turn.account.streaming === "block") yield* held.asBlocks();
        if (verbosity !== "off" && !told.has(event.callId)) yield* aside(turn, summaryOf(event.name, event.args));
        told.add(event.callId);
      } else if (event.type === "tool-end") {
        if (verbosity === "full") yield* aside(turn, outputOf(event.text));
      } else if (event.type === "model-failed") {
        spoken.again();
        tried.push(`${event.model}: ${event.code}`);
      } else if (event.type === "done") {
        turn.prefix.select(event.model, turn.agent.thinking);
        yield* held.asFinals();
        yield close(
          session,
          "replied",
          { stage: "agent", code: "answered", why: `${event.model} answered${afterwards(tried)}` },
          [user, ...event.messages],
          prepared.carried,
          event.model,
        );
        return;
      }
    }
    throw new GatewayError("GATEWAY_BUG", { detail: { reason: "the agent ended without saying that it is done" } });
  } catch (error) {
    yield* closeFailed(turn, session, error, { user, spoken, held, tried, carried: prepared.carried }, deps);
  }
}

/** What was said before the last message, until it is known how it goes out. */
class HeldTexts {
  readonly #turn: Turn;
  readonly #spoken: Spoken;
  #texts: { readonly rest: string; readonly message: number }[] = [];

  constructor(turn: Turn, spoken: Spoken) {
    this.#turn = turn;
    this.#spoken = spoken;
  }

  take(said: { readonly rest: string; readonly message: number }): void {
    if (said.rest !== "") this.#texts.push(said);
  }

  /** At once: something goes out that comes after it. */
  *asBlocks(): Generator<ReplyDraft> {
    for (const { rest, message } of this.#texts.splice(0)) {
      const payload = { text: rest };
      const place = this.#turn.journal.takeBlock(payload, { message });
      if (place !== undefined) yield { type: "reply", kind: "block", payload, place };
    }
    this.#spoken.deliver();
  }

  /** With the end of the turn. */
  *asFinals(): Generator<ReplyDraft> {
    for (const { rest } of this.#texts.splice(0)) yield { type: "reply", kind: "final", payload: { text: rest } };
  }
}

/** A word beside the answer, once over all starts of the turn. */
function* aside(turn: Turn, payload: ReplyPayload): Generator<ReplyDraft> {
  const place = turn.journal.takeBlock(payload, { aside: true });
  if (place !== undefined) yield { type: "reply", kind: "tool", payload, place };
}

/** The journal, with an eye on what tools send. */
function watchSends(turn: Turn, journal: AgentJournal): AgentJournal {
  return {
    ...journal,
    async callTool(call) {
      turn.sends.stage(call);
      let result: ToolResult | undefined;
      try {
        result = await journal.callTool(call);
        return result;
      } finally {
        turn.sends.settle(call, result);
      }
    },
  };
}

interface Partial {
  readonly user: ModelMessage;
  readonly spoken: Spoken;
  readonly held: HeldTexts;
  /** Models that failed before, each with its code. */
  readonly tried: readonly string[];
  readonly carried: Carried;
}

/** For the recorded decision: which models were asked before, and what each ended with. Attempts in a row that ended alike count once. */
function afterwards(tried: readonly string[]): string {
  const different = tried.filter((one, index) => one !== tried[index - 1]);
  return different.length === 0 ? "" : ` (tried ${different.slice(0, 20).join(", ")})`;
}

/** A turn that was stopped or broke off: what was said so far is kept, and the person is told. */
async function* closeFailed(turn: Turn, session: Session, error: unknown, partial: Partial, deps: ReplyDeps): AsyncGenerator<ReplyDraft> {
  const reason = abortReasonOf(turn.signal);
  if (reason === "shutdown" || reason === "lease-lost") throw error;
  const said = partial.spoken.all();
  const transcript: ModelMessage[] = said === "" ? [partial.user] : [partial.user, { role: "assistant", text: said }];
  if (reason === "user" || reason === "superseded") {
    // The stop message answers; what is visible in a preview stays (`ReplyDispatcher.stopAt`).
    const [ended, why] =
      reason === "user" ? (["aborted", "the turn was stopped"] as const) : (["superseded", "a later message took its place"] as const);
    yield close(session, ended, { stage: "abort", code: reason, why }, transcript, partial.carried, null);
    return;
  }
  const failure =
    reason === "timeout" ? new GatewayError("MODEL_TIMEOUT", { detail: { model: turn.agent.model.primary } }) : toGatewayError(error);
  deps.logger.error(
    { trace: turn.row.id, turn: turn.id, code: failure.code, error: failure.message, detail: failure.detail },
    "a turn failed",
  );
  const { texts } = turn.config.config.messages;
  yield* partial.held.asFinals();
  if (partial.spoken.brokeOff()) {
    const rest = partial.spoken.rest();
    if (rest.trim() !== "") yield { type: "reply", kind: "final", payload: { text: rest } };
    const name = failure.code === "MODEL_REFUSED" ? "modelRefused" : "interrupted";
    yield { type: "reply", kind: "final", payload: { text: textOf(name, texts), isError: true } };
  } else {
    yield { type: "reply", kind: "final", payload: { text: textOf(textNameOf(failure), texts), isError: true } };
  }
  yield close(
    session,
    "failed",
    { stage: "agent", code: failure.code, why: failure.message + afterwards(partial.tried) },
    transcript,
    partial.carried,
    null,
  );
}

async function* runCommand(
  call: CommandCall,
  turn: Turn,
  session: Session,
  deps: ReplyDeps,
  stage: ReplyStage,
): AsyncGenerator<ReplyDraft> {
  const { command } = call;
  const { allowed, decision } = decideCommand(command, { authority: turn.authority, path: turn.authorityPath });
  if (!allowed) {
    if (deps.refusals.mayTell(turn.message)) {
      yield { type: "reply", kind: "final", payload: { text: textOf("commandDenied", turn.config.config.messages.texts) } };
    }
    yield close(session, "denied", decision, [], UNCHANGED, null);
    return;
  }
  let carried = UNCHANGED;
  let result: CommandResult;
  try {
    result = await command.run(
      call.args,
      commandTurn(turn, session, deps, (change) => (carried = { ...carried, ...change })),
    );
  } catch (error) {
    const failure = toGatewayError(error);
    deps.logger.error(
      { trace: turn.row.id, turn: turn.id, command: command.name, code: failure.code, error: describeError(error) },
      "a command failed",
    );
    yield { type: "reply", kind: "final", payload: { text: textOf("failed", turn.config.config.messages.texts), isError: true } };
    yield close(
      session,
      "failed",
      { stage: "command", code: failure.code, why: `/${command.name} failed: ${failure.message}` },
      [],
      UNCHANGED,
      null,
    );
    return;
  }
  if (result.prompt !== undefined) {
    yield* runPreparedReply(turn, session, { text: result.prompt, carried, stage }, deps);
    return;
  }
  if (result.text !== undefined) yield { type: "reply", kind: "final", payload: { text: result.text } };
  yield close(session, "command", decision, [], carried, null);
}

function commandTurn(
  turn: Turn,
  session: Session,
  deps: ReplyDeps,
  change: (change: Pick<Carried, "settings"> | Pick<Carried, "reset">) => void,
): CommandTurn {
  const { agent, message } = turn;
  let { settings } = session;
  return {
    conversation: message.conversation,
    sender: message.sender,
    agent: { id: agent.id, name: agent.identity.name },
    stopped: turn.stopped,
    commands: () => deps.commands.filter((command) => turn.authority === "owner" || command.access === "authorised"),
    resetSession: async () => change({ reset: true }),
    settings,
    changeSettings(part) {
      settings = { ...settings, ...part };
      change({ settings });
    },
    status: async () => [
      { name: "agent", value: [agent.identity.emoji ?? "", agent.identity.name].join(" ").trim() },
      { name: "model", value: agent.model.primary },
      { name: "thinking", value: agent.thinking ?? "as the model has it" },
      { name: "channel", value: `${turn.channel.label} (${message.conversation.account})` },
      {
        name: "session",
        value: `${session.history.length} messages since ${new Date(session.startedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`,
      },
      { name: "queue", value: queueSettingsOf(turn.config.config, agent.id, session.settings.queue).mode },
    ],
  };
}

/** Why a turn is not even tried. */
function whyHopeless(turn: Turn): Decision | undefined {
  if (turn.attempts > MAX_ATTEMPTS) {
    return { stage: "turn", code: "attempts", why: `the turn was started ${MAX_ATTEMPTS} times without an end` };
  }
  if (!turn.journal.unreadable) return undefined;
  return { stage: "turn", code: "journal", why: "what an earlier start of the turn did cannot be read, so nothing is done again" };
}

function close(
  session: Session,
  disposition: Disposition,
  decision: Decision,
  append: readonly ModelMessage[],
  carried: Carried,
  model: string | null,
): ReplyDraft {
  return { type: "close", close: { disposition, decision, session, change: { append, ...carried }, model } };
}
