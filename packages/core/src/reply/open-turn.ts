import type { Decision, InboundMessage, StoreTx } from "@trunkline/plugin-sdk";
import { type Authority, authorityOf } from "../access/authorise.ts";
import type { Deps } from "../deps.ts";
import { withOrigin } from "../inbound/accept.ts";
import { type HeardRecord, toStepRow } from "../journal/record.ts";
import { NO_PAST, readPast } from "../journal/records.ts";
import { createTurnJournal } from "../journal/turn-journal.ts";
import type { LaneTurn } from "../lanes/lanes.ts";
import { pairingKeyOf } from "../pairing/pairing-key.ts";
import { parseSessionKey } from "../routing/session-key.ts";
import { stripControlText } from "../shaping/control-text.ts";
import { refreshDelivery } from "../store/delivery-state.ts";
import { finishInbound, type InboxRow, inboundByIds, joinTurn } from "../store/inbox.ts";
import { eraseSteps, saveStep } from "../store/steps.ts";
import { startTurn } from "../store/turns.ts";
import { combine } from "./batch.ts";
import { overflowNote } from "./context.ts";
import { TurnPrefix } from "./prefix.ts";
import { decisionsOf, messageOf, turnIdOf } from "./rows.ts";
import { Steering } from "./steering.ts";
import { ToolSends } from "./tool-sends.ts";
import type { Turn } from "./turn.ts";

/**
 * Opens a turn on queued messages: takes the configuration that it keeps, counts the start (transaction T), committed before
 * anything runs that the messages can steer, and reads what earlier starts left. Undefined when the configuration no longer has its account or
 * agent, and the messages are ended as `dropped`; or when they were withdrawn meanwhile.
 */
export async function openTurn(lane: LaneTurn, deps: Deps): Promise<Turn | undefined> {
  const config = deps.config.current();
  const channel = deps.channels.get(lane.row.channel);
  const account = config.config.channels[lane.row.channel]?.accounts[lane.row.account];
  const sessionKey = lane.row.sessionKey ?? "";
  const agent = config.config.agents.list.find((candidate) => candidate.id === parseSessionKey(sessionKey)?.agent);
  if (!channel || !account || !agent) {
    const path = agent ? `channels.${lane.row.channel}` : "agents.list";
    const gone = { stage: "turn", code: "gone", why: "its account or agent is no longer in the configuration", path };
    for (const row of lane.rows) await endInbound(row, gone, "dropped", deps);
    return undefined;
  }
  const id = turnIdOf(lane.row.id);
  const kept = deps.refusedTurns.get(id);
  deps.refusedTurns.delete(id);
  const started =
    kept !== undefined
      ? { attempts: kept, rows: lane.rows, note: undefined }
      : await countStart(id, lane, sessionKey, config.revision, deps);
  if (started === undefined) return undefined;
  const { attempts, rows: answered } = started;
  const resumed = kept !== undefined || attempts > 1;
  const past = resumed ? await readPast(deps.store, id) : { ...NO_PAST, records: started.note ? [started.note] : [] };
  const journal = createTurnJournal(id, past, deps);
  const rows = answered.filter((row) => !journal.heardBefore.includes(row.id));
  const before = answered.filter((row) => journal.heardBefore.includes(row.id));
  const messages = rows.map(messageOf);
  const { message, text, named } = combine(messages, channel);
  const { authority, path } = weakest(messages.map((one) => authorityIn(one, { channel, account, config: config.config }, deps)));
  const prefixed = { cfg: config.config, agentId: agent.id, channel: lane.row.channel, accountId: lane.row.account };
  return {
    id,
    row: rows[0]!,
    rows,
    message,
    text,
    named,
    decisions: decisionsOf(rows[0]!),
    config,
    account,
    agent,
    channel,
    sessionKey,
    authority,
    authorityPath: path,
    stopped: lane.stopped,
    attempts,
    resumed,
    journal,
    steering: new Steering({ turn: id, sessionKey, rows, before, hasMore: lane.hasMore }, deps),
    sends: new ToolSends(message.conversation, deps.channels, (text) => stripControlText(text, config.config.messages.silentToken).text),
    prefix: new TurnPrefix(prefixed, journal.spokeBefore),
    signal: lane.signal,
  };
}

function authorityIn(message: InboundMessage, place: Omit<Parameters<typeof authorityOf>[0], "message" | "approved">, deps: Deps) {
  return authorityOf({ ...place, message, approved: deps.approved.has(pairingKeyOf(message, deps)) });
}

const RIGHTS: readonly Authority[] = ["none", "authorised", "owner"];

/** What several people may do together is what each of them may. */
function weakest<T extends { readonly authority: Authority }>(all: readonly T[]): T {
  return all.reduce((least, one) => (RIGHTS.indexOf(one.authority) < RIGHTS.indexOf(least.authority) ? one : least));
}

/** A start that was counted: how many there were, the messages as they are now, and what the agent is told of those that were left out. */
interface Started {
  readonly attempts: number;
  readonly rows: readonly InboxRow[];
  readonly note?: HeardRecord | undefined;
}

/**
 * Transaction T: the start, the messages that it answers together, and the end of those that were left out. A turn that only the store held up is the same start
 * still, and is not counted again. Undefined when the messages were withdrawn before it.
 */
function countStart(id: string, lane: LaneTurn, sessionKey: string, configRev: number, deps: Deps): Promise<Started | undefined> {
  return deps.store.write(async (tx) => {
    const rows = await asTheyAre(tx, lane, deps);
    if (rows[0]?.id !== lane.row.id) return undefined;
    const inboxIdsJson = JSON.stringify(rows.map((row) => row.id));
    const { attempts } = await startTurn(tx, { id, sessionKey, owner: deps.owner, inboxIdsJson, configRev, startedAt: deps.clock.now() });
    for (const row of rows.slice(1)) if (row.turn !== id) await joinTurn(tx, { id: row.id, turn: id });
    if (lane.overflow.length === 0) return { attempts, rows };
    const settings = await deps.queue.settings(sessionKey);
    for (const row of lane.overflow) {
      const why = `more than ${settings.cap} messages waited, and the ${settings.drop === "new" ? "newest" : "oldest"} were left out`;
      const by = settings.capPath === undefined ? {} : { path: settings.capPath };
      const decision = withOrigin({ stage: "queue", code: "overflow", why, ...by }, deps.config.current());
      const decisionsJson = JSON.stringify([...decisionsOf(row), decision]);
      await finishInbound(tx, { id: row.id, disposition: "dropped", decisionsJson, delivery: null });
    }
    if (settings.drop !== "summarize") return { attempts, rows };
    const note: HeardRecord = { kind: "heard", n: 0, hash: "", step: -1, ids: [], text: overflowNote(lane.overflow.map(messageOf)) };
    await saveStep(tx, toStepRow(id, note));
    return { attempts, rows, note };
  }, "committed");
}

/** The messages as the table has them, where somebody may have changed or withdrawn one since the lane read it. */
async function asTheyAre(tx: StoreTx, { rows, overflow }: LaneTurn, deps: Deps): Promise<readonly InboxRow[]> {
  if (rows.length + overflow.length === 1 && deps.amended.get(rows[0]!.id) === undefined) return rows;
  for (const { id } of rows) deps.amended.delete(id);
  return (
    await inboundByIds(
      tx,
      rows.map(({ id }) => id),
    )
  ).filter(({ state }) => state === "open");
}

/** Ends a message without a turn, or one whose turn cannot go on. */
export async function endInbound(
  row: InboxRow,
  decision: Decision,
  disposition: "dropped" | "aborted" | "superseded",
  deps: Deps,
): Promise<void> {
  const decisions = [...decisionsOf(row), withOrigin(decision, deps.config.current())];
  const turn = turnIdOf(row.id);
  // An earlier start may have left parts. What people saw of a stopped answer stays, and nothing follows.
  if (disposition !== "dropped") await deps.worker.cancelTurn(turn);
  await deps.store.write(async (tx) => {
    await finishInbound(tx, { id: row.id, disposition, decisionsJson: JSON.stringify(decisions), delivery: null });
    await refreshDelivery(tx, turn);
    await eraseSteps(tx, turn);
  }, "committed");
  deps.logger.info({ trace: row.id, channel: row.channel, account: row.account, disposition }, decision.why);
}
