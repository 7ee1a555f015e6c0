import {
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
  toGatewayError,
  type ToolDefinition,
} from "@trunkline/plugin-sdk";
import { decideCommand } from "../access/authorise.ts";
import { isStop } from "../inbound/decide.ts";
import { type CommandCall, parseCommand } from "../commands/parse.ts";
import { abortReasonOf } from "../lanes/abort.ts";
import type { InboundMedia } from "../media/inbound-media.ts";
import type { Session, SessionChange, Sessions } from "../sessions/sessions.ts";
import type { ReplyDraft } from "./draft.ts";
import { buildPrompt } from "./prompt.ts";
import type { RefusalLimit } from "./refusals.ts";
import { Spoken } from "./spoken.ts";
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
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The reply to a turn, as drafts: a command answers by itself, everything else goes to the agent. Never throws but for abort by
 * shutdown: a failure becomes one readable sentence and the disposition `failed`.
 */
export async function* getReplyFromConfig(turn: Turn, deps: ReplyDeps): AsyncGenerator<ReplyDraft> {
  const session = await deps.sessions.load(turn.sessionKey, turn.agent.id);
  const hopeless = whyHopeless(turn);
  if (hopeless) {
    deps.logger.error({ trace: turn.row.id, turn: turn.id, reason: hopeless.code }, "a turn is given up");
    yield { type: "reply", kind: "final", payload: { text: textOf("crashing", turn.config.config.messages.texts), isError: true } };
    yield close(session, "failed", hopeless, [], UNCHANGED, null);
    return;
  }
  // A stop word stands for /stop; whether it was one was decided, and recorded, when the message was accepted.
  const call = isStop(turn.decisions) ? parseCommand("/stop", deps.commands) : parseCommand(turn.text, deps.commands);
  if (call) yield* runCommand(call, turn, session, deps);
  else yield* runPreparedReply(turn, session, { text: turn.text, carried: UNCHANGED }, deps);
}

/** What commands did to the session before it goes on; written with the end of the turn. */
type Carried = Pick<SessionChange, "reset" | "settings">;

const UNCHANGED: Carried = { reset: false };

/** What an agent run starts from, once commands have had their say. */
export interface PreparedReply {
  readonly text: string;
  /** Whether the session starts afresh with this message, and what it remembers from now on. */
  readonly carried: Carried;
}

/** Runs the agent on a prepared prompt and yields its answer. */
export async function* runPreparedReply(
  turn: Turn,
  session: Session,
  prepared: PreparedReply,
  deps: ReplyDeps,
): AsyncGenerator<ReplyDraft> {
  const current = prepared.carried.reset ? { ...session, history: [] } : session;
  const spoken = new Spoken(turn.journal);
  const tried: string[] = [];
  let user: ModelMessage = { role: "user", text: prepared.text };
  try {
    const models = [turn.agent.model.primary, ...turn.agent.model.fallbacks];
    const { images, files } = await deps.media.forPrompt(turn, deps.agent.seesImages?.(models) ?? true);
    const prompt = buildPrompt({
      agent: turn.agent,
      channel: turn.channel,
      message: turn.message,
      text: prepared.text,
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
    };
    const journal = turn.journal.forAgent({ ...asked, context, logger: deps.logger });
    const { conversation, agent, signal } = context;
    for await (const event of deps.agent.run({ ...asked, turn: turn.id, agent, conversation, signal, journal })) {
      if (event.type === "text") {
        yield { type: "growing", text: spoken.grow(event.delta) };
      } else if (event.type === "block") {
        const place = turn.journal.takeBlock(event.payload);
        if (place !== undefined) yield { type: "reply", kind: "block", payload: event.payload, place };
      } else if (event.type === "message-end") {
        const rest = spoken.end(event.text);
        if (rest !== "") yield { type: "reply", kind: "final", payload: { text: rest } };
      } else if (event.type === "model-failed") {
        tried.push(`${event.model}: ${event.code}`);
      } else if (event.type === "done") {
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
    yield* closeFailed(turn, session, error, { user, spoken, tried, carried: prepared.carried }, deps);
  }
}

interface Partial {
  readonly user: ModelMessage;
  readonly spoken: Spoken;
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
    // The stop message answers; what was visible in a preview goes with it.
    yield close(session, "aborted", { stage: "abort", code: reason, why: "the turn was stopped" }, transcript, partial.carried, null);
    return;
  }
  const failure =
    reason === "timeout" ? new GatewayError("MODEL_TIMEOUT", { detail: { model: turn.agent.model.primary } }) : toGatewayError(error);
  deps.logger.error(
    { trace: turn.row.id, turn: turn.id, code: failure.code, error: failure.message, detail: failure.detail },
    "a turn failed",
  );
  const { texts } = turn.config.config.messages;
  if (partial.spoken.brokeOff()) {
    const rest = partial.spoken.rest();
    if (rest.trim() !== "") yield { type: "reply", kind: "final", payload: { text: rest } };
    yield { type: "reply", kind: "final", payload: { text: textOf("interrupted", texts), isError: true } };
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

async function* runCommand(call: CommandCall, turn: Turn, session: Session, deps: ReplyDeps): AsyncGenerator<ReplyDraft> {
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
    yield* runPreparedReply(turn, session, { text: result.prompt, carried }, deps);
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
      { name: "agent", value: agent.identity.name },
      { name: "model", value: agent.model.primary },
      { name: "thinking", value: agent.thinking ?? "as the model has it" },
      { name: "channel", value: `${turn.channel.label} (${message.conversation.account})` },
      {
        name: "session",
        value: `${session.history.length} messages since ${new Date(session.startedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`,
      },
      { name: "queue", value: "followup" },
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
