import {
  type ChannelPlugin,
  type ConfigSnapshot,
  type Disposition,
  type InboundMessage,
  isGatewayError,
  type ReceiveResult,
  type ReplyPayload,
  type StoreTx,
} from "@trunkline/plugin-sdk";
import { acceptedRow, acceptJudged, judgedRow, type Judged, receipt, withOrigin, withoutWords } from "./inbound/accept.ts";
import { amendWaiting } from "./inbound/amend.ts";
import { decideInbound, type InboundVerdict, type RunningTurn, sessionKeyFor, unknownAccount } from "./inbound/decide.ts";
import { lineUp, waitsForMore } from "./inbound/line-up.ts";
import { isOurs } from "./inbound/own-message.ts";
import type { Deps } from "./deps.ts";
import { takesOwnTurn } from "./lanes/own-turn.ts";
import type { LaneTurn } from "./lanes/lanes.ts";
import { type AcceptedStranger, acceptStranger } from "./pairing/accept-stranger.ts";
import { pairingKeyOf } from "./pairing/pairing-key.ts";
import { type BlockStream, createBlockStream, NO_BLOCKS } from "./reply/block-stream.ts";
import { ReplyDispatcher } from "./reply/dispatcher.ts";
import type { ReplyDraft, TurnClose } from "./reply/draft.ts";
import { getReplyFromConfig } from "./reply/get-reply.ts";
import type { Preview } from "./reply/preview.ts";
import { createSendFromTool } from "./reply/send-from-tool.ts";
import { startPreview } from "./reply/start-preview.ts";
import { openTurn } from "./reply/open-turn.ts";
import { messageOf } from "./reply/rows.ts";
import { finishOthers } from "./reply/others.ts";
import type { Turn } from "./reply/turn.ts";
import { textOf } from "./reply/texts.ts";
import { decideRoute } from "./routing/route.ts";
import { createTurnOutbox, type TurnOutbox } from "./reply/turn-outbox.ts";
import { startTyping } from "./reply/typing.ts";
import { refreshDelivery } from "./store/delivery-state.ts";
import { finishInbound, type InboxRow } from "./store/inbox.ts";
import { finishTurn } from "./store/turns.ts";

/**
 * The way of a message, first half: decide, then store everything of the batch in one durable transaction, then wake what runs it.
 * Resolves once the batch is durable; only then may the platform be told. Rejects when nothing was stored.
 */
export async function dispatchInboundMessage(messages: readonly InboundMessage[], deps: Deps): Promise<readonly ReceiveResult[]> {
  const config = deps.config.current();
  const judged: (Judged | typeof COUNTED)[] = [];
  for (const message of messages) judged.push(await judge(message, config, deps));
  const taken = judged.filter((one) => one !== COUNTED);
  const accepted = taken.length === 0 ? [] : await deps.store.write((tx) => acceptAll(tx, taken, config, deps), "durable");
  for (const { judged: one, result, parts, changed } of accepted) {
    deps.worker.enqueue(parts);
    if (changed !== undefined) deps.lanes.wake(changed);
    if (!result.duplicate) afterAccept(one, acceptedRow(one, result), deps);
    else deps.logger.info({ trace: result.id, channel: one.row.channel, account: one.row.account }, "duplicate of an accepted message");
  }
  const receipts = accepted.map(({ result }) => receipt(result));
  return judged.map((one) => (one === COUNTED ? { id: "", duplicate: false } : receipts.shift()!));
}

/** A stranger's message over the rate: counted, and neither stored nor answered. */
const COUNTED = "counted";

/** Transaction A of a batch. A stranger's message may bring a code's message along. */
async function acceptAll(tx: StoreTx, judged: readonly Judged[], config: ConfigSnapshot, deps: Deps) {
  const accepted: (AcceptedStranger & { readonly changed?: string })[] = [];
  for (const one of judged) {
    const stranger = one.verdict.disposition === "pairing";
    if (stranger) accepted.push(await acceptStranger(tx, one, config, deps));
    else {
      const result = await acceptJudged(tx, one);
      const changed = result.duplicate ? undefined : await amendWaiting(tx, one, result.id, deps);
      accepted.push({ judged: one, result, parts: [], ...(changed === undefined ? {} : { changed }) });
    }
  }
  return accepted;
}

/** Hook, sender, access, fast abort, group gate, route: the decisions about one message, in order. */
async function judge(message: InboundMessage, config: ConfigSnapshot, deps: Deps): Promise<Judged | typeof COUNTED> {
  const filtered = await deps.hooks.apply("inbound:before", message);
  const verdict = filtered ? await decide(filtered, config, deps) : DROPPED_BY_HOOK;
  const seen = filtered ?? message;
  if (verdict.stranger && !deps.strangers.admits(seen)) return COUNTED;
  if (verdict.sessionKey !== null) deps.heard.note(seen, deps.channels.get(seen.conversation.channel));
  return { message: seen, verdict, row: judgedRow(deps.ids.next("in"), seen, verdict, config, deps.clock.now()) };
}

const DROPPED_BY_HOOK: InboundVerdict = {
  disposition: "dropped",
  sessionKey: null,
  decisions: [{ stage: "hook", code: "inbound:before", why: "a filter hook dropped the message" }],
  keepText: false,
  stops: false,
  stranger: false,
};

async function decide(message: InboundMessage, config: ConfigSnapshot, deps: Deps): Promise<InboundVerdict> {
  const { channel: channelId, account: accountId } = message.conversation;
  const account = config.config.channels[channelId]?.accounts[accountId];
  const channel = deps.channels.get(channelId);
  if (!account || !channel) return unknownAccount(message);
  const runningTurn = (sessionKey: string) => runningTurnOf(sessionKey, deps);
  const approved = deps.approved.has(pairingKeyOf(message, deps));
  const activation = await activationOf(message, config, channel, deps);
  const goesOn = deps.heard.goesOn(message, channel);
  const looping = message.sender.isBot && account.allowBots === true && deps.botLoops.isLooping(message);
  const reactsToOwn = message.kind === "reaction" && account.reactions === true && (await isOurs(message, deps));
  const known = { runningTurn, approved, activation, goesOn, looping, reactsToOwn };
  const input = { message, config: config.config, account, channel, now: deps.clock.now(), ...known };
  return lineUp(message, decideInbound(input), goesOn, deps);
}

/** What runs in a session's lane right now. */
export function runningTurnOf(sessionKey: string, { lanes, channels }: Pick<Deps, "lanes" | "channels">): RunningTurn | undefined {
  const head = lanes.running(sessionKey);
  const rows = lanes.answering(sessionKey);
  if (head === undefined) return undefined;
  const isCommand = takesOwnTurn(messageOf(head), channels.get(head.channel));
  return { senderIds: (rows.length > 0 ? rows : [head]).map((row) => messageOf(row).sender.id), isCommand };
}

/** What /activation chose in a group. In memory after the first message, so that a talking group costs no statement. */
async function activationOf(message: InboundMessage, { config }: ConfigSnapshot, channel: ChannelPlugin, deps: Deps) {
  if (message.conversation.kind === "direct") return undefined;
  const { agent } = decideRoute(message, config);
  return (await deps.reply.sessions.settings(sessionKeyFor(message, agent, config, channel))).activation;
}

/** What follows an accepted message, now that it can no longer be lost. */
function afterAccept({ message, verdict }: Judged, row: InboxRow, deps: Deps): void {
  // First: a turn that begins at once reaches its model before anybody is told.
  if (verdict.sessionKey !== null) {
    if (verdict.stops) deps.lanes.stop(verdict.sessionKey, row.id);
    if (verdict.interrupts === true) deps.lanes.supersede(verdict.sessionKey, row.id);
    deps.lanes.wake(verdict.sessionKey, waitsForMore(message, deps) ? undefined : row);
  }
  deps.connections.noteInbound(row.channel, row.account, row.receivedAt);
  deps.logger.info(
    { trace: row.id, channel: row.channel, account: row.account, disposition: verdict.disposition ?? "open" },
    "message accepted",
  );
  // Observers may keep what they see.
  deps.hooks.emit("message_received", { id: row.id, message: verdict.keepText ? message : withoutWords(message) });
  if (verdict.sessionKey === null) {
    deps.hooks.emit("inbound:dropped", { id: row.id, disposition: verdict.disposition ?? "", why: verdict.decisions.at(-1)?.why ?? "" });
  }
}

/** The lane's turn: opens it, runs it, closes it. Rejects only when the store fails or the gateway shuts down; then it runs again. */
export async function runLaneTurn(lane: LaneTurn, deps: Deps): Promise<void> {
  const turn = await openTurn(lane, deps);
  if (turn === undefined) return;
  deps.hooks.emit("turn:started", { id: turn.row.id, turn: turn.id, receivedAt: turn.row.receivedAt });
  try {
    await dispatchReplyFromConfig(turn, deps);
  } catch (error) {
    if (isGatewayError(error) && error.code.startsWith("STORE_")) deps.refusedTurns.set(turn.id, turn.attempts);
    throw error;
  }
}

/**
 * The way of a message, second half: the reply as drafts, each shaped and dispatched; then transaction C. Gives the disposition.
 */
export async function dispatchReplyFromConfig(turn: Turn, deps: Deps): Promise<Disposition> {
  const { conversation, receivedAs } = turn.message;
  const transport = deps.connections.transportOf(conversation.channel, conversation.account, receivedAs);
  const outbox = createTurnOutbox(turn, deps);
  const preview = startPreview(turn, outbox, transport, deps);
  const dispatcher = new ReplyDispatcher(async (kind, payload, place) => {
    const { rows } = await outbox.compose(payload, kind);
    if (rows.length === 0) return;
    const written = await preview.resolve(rows, kind === "tool" ? "aside" : "replaced");
    await outbox.commit(written, async (tx) => (place === undefined ? undefined : turn.journal.writeBlock(tx, place)));
  });
  // Nobody who reacts waits for an answer.
  const typing = startTyping(turn, turn.message.kind === "message" ? transport : undefined, deps);
  const blocks = startBlocks(turn, dispatcher, deps);
  const send = createSendFromTool(turn, { dispatcher, outbox, preview }, deps);
  try {
    // A block reply is on its way as soon as it is taken; finals wait for the end of the turn.
    const isSeen = (): boolean => preview.isShown || dispatcher.counts().block > 0;
    for await (const draft of getReplyFromConfig(turn, deps.reply, { isSeen, send })) {
      if (draft.type === "growing") {
        typing.grow(draft.text);
        preview.grow(draft.text);
        blocks.grow(draft.text);
      } else if (draft.type === "paused") blocks.rest();
      else if (draft.type === "reply") take(dispatcher, draft);
      else return await closeTurn(turn, draft.close, { dispatcher, outbox, preview }, deps);
    }
    return "failed"; // unreachable: the last draft is always `close`
  } finally {
    typing.end();
    blocks.rest();
    preview.close();
  }
}

/** Messages as the answer grows, where the account wants them. */
function startBlocks(turn: Turn, dispatcher: ReplyDispatcher, { clock }: Deps): BlockStream {
  const { silence, silentToken } = turn.config.config.messages;
  if (turn.account.streaming !== "block" || silence === "strict") return NO_BLOCKS;
  return createBlockStream(clock, silentToken, (text) => {
    const place = turn.journal.takeBlock({ text });
    if (place !== undefined) dispatcher.sendBlockReply({ text }, place);
  });
}

function take(dispatcher: ReplyDispatcher, draft: ReplyDraft & { readonly type: "reply" }): void {
  if (draft.kind === "tool") dispatcher.sendToolResult(draft.payload, draft.place);
  else if (draft.kind === "block") dispatcher.sendBlockReply(draft.payload, draft.place);
  else dispatcher.sendFinalReply(draft.payload);
}

/** The parts of all finals, and the decisions about those of which nothing is sent. */
async function composeFinals(payloads: readonly ReplyPayload[], outbox: TurnOutbox) {
  const composed = [];
  for (const payload of payloads) composed.push(await outbox.compose(payload));
  return { rows: composed.flatMap(({ rows }) => rows), dropped: composed.flatMap(({ dropped }) => dropped ?? []) };
}

interface Outgoing {
  readonly dispatcher: ReplyDispatcher;
  readonly outbox: TurnOutbox;
  readonly preview: Preview;
}

/** Transaction C: the last parts, the transcript, the session, the disposition and the turn, all or nothing. */
async function closeTurn(turn: Turn, close: TurnClose, outgoing: Outgoing, deps: Deps): Promise<Disposition> {
  const { dispatcher, outbox, preview } = outgoing;
  await dispatcher.waitForIdle();
  const aborted = close.disposition === "aborted" || close.disposition === "superseded";
  if (aborted) {
    // What a person sees of a stopped answer stays: as the message that it is, or as one that it becomes.
    dispatcher.stopAt(preview.freeze());
    await preview.resolve([], "kept");
    await deps.worker.cancelTurn(turn.id);
  }
  const resumed = turn.journal.resumption();
  const decisions = [...turn.decisions, ...(resumed ? [resumed] : []), withOrigin(close.decision, turn.config)];
  const finals = await composeFinals(dispatcher.finals(), outbox);
  const rows = [...finals.rows];
  decisions.push(...finals.dropped);
  // A model that said nothing at all is a fault, and is told; one that chose to be silent is not.
  const saidNothing = finals.dropped.every(({ code }) => code === "empty") && rows.length + outbox.committed() === 0;
  if (close.disposition === "replied" && saidNothing) {
    rows.push(...(await outbox.compose({ text: textOf("empty", turn.config.config.messages.texts), isError: true })).rows);
  }
  const said = rows.length + outbox.committed() > 0;
  const disposition = close.disposition === "replied" && !said ? "silent" : close.disposition;
  const written = aborted ? rows : await preview.resolve(rows, "replaced");
  const session = await outbox.commit(written, async (tx) => {
    const next = await deps.reply.sessions.write(tx, close.session, close.change);
    const delivery = rows.length > 0 ? "pending" : null;
    await finishInbound(tx, { id: turn.row.id, disposition, decisionsJson: JSON.stringify(decisions), delivery });
    await finishOthers(tx, turn, disposition);
    // Of what went out during the turn nothing else may be left to tell.
    if (said && rows.length === 0) await refreshDelivery(tx, turn.id);
    await turn.journal.erase(tx);
    await finishTurn(tx, {
      id: turn.id,
      state: disposition === "failed" ? "failed" : "done",
      model: close.model,
      endedAt: deps.clock.now(),
    });
    return next;
  });
  deps.reply.sessions.remember(session);
  if (close.change.reset) deps.hooks.emit("session:reset", { sessionKey: turn.sessionKey, why: "command" });
  deps.hooks.emit("turn:ended", { id: turn.row.id, turn: turn.id, disposition, parts: rows.length });
  deps.logger.info(
    { trace: turn.row.id, turn: turn.id, disposition, parts: rows.length, model: close.model ?? undefined },
    "turn finished",
  );
  return disposition;
}
