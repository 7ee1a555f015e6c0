import type { Decision, InboundMessage } from "@trunkline/plugin-sdk";
import { authorityOf } from "../access/authorise.ts";
import type { Deps } from "../deps.ts";
import { withOrigin } from "../inbound/accept.ts";
import { NO_PAST, readPast } from "../journal/records.ts";
import { createTurnJournal } from "../journal/turn-journal.ts";
import type { LaneTurn } from "../lanes/lanes.ts";
import { pairingKeyOf } from "../pairing/pairing-key.ts";
import { parseSessionKey } from "../routing/session-key.ts";
import { stripControlText } from "../shaping/control-text.ts";
import { refreshDelivery } from "../store/delivery-state.ts";
import { finishInbound, type InboxRow } from "../store/inbox.ts";
import { eraseSteps } from "../store/steps.ts";
import { startTurn } from "../store/turns.ts";
import { TurnPrefix } from "./prefix.ts";
import { ToolSends } from "./tool-sends.ts";
import { type Turn, turnIdOf } from "./turn.ts";

/** The message of an inbox row. */
export function messageOf(row: InboxRow): InboundMessage {
  return JSON.parse(row.bodyJson ?? "null") as InboundMessage; // written by `judgedRow`
}

/** The recorded decisions of an inbox row. */
export function decisionsOf(row: InboxRow): readonly Decision[] {
  return JSON.parse(row.decisionsJson) as readonly Decision[]; // written by `judgedRow` and `closeTurn`
}

/**
 * Opens a turn on a queued message: takes the configuration that it keeps, counts the start (transaction T), committed before
 * anything runs that the message can steer, and reads what earlier starts left. Undefined when the configuration no longer has its account or agent; the message is
 * then ended as `dropped`.
 */
export async function openTurn(lane: LaneTurn, deps: Deps): Promise<Turn | undefined> {
  const { row } = lane;
  const config = deps.config.current();
  const message = messageOf(row);
  const channel = deps.channels.get(row.channel);
  const account = config.config.channels[row.channel]?.accounts[row.account];
  const sessionKey = row.sessionKey ?? "";
  const agent = config.config.agents.list.find((candidate) => candidate.id === parseSessionKey(sessionKey)?.agent);
  if (!channel || !account || !agent) {
    await endInbound(
      row,
      {
        stage: "turn",
        code: "gone",
        why: "its account or agent is no longer in the configuration",
        path: agent ? `channels.${row.channel}` : "agents.list",
      },
      "dropped",
      deps,
    );
    return undefined;
  }
  const id = turnIdOf(row.id);
  const kept = deps.refusedTurns.get(id);
  deps.refusedTurns.delete(id);
  const attempts = kept ?? (await countStart(id, row, sessionKey, config.revision, deps));
  const resumed = kept !== undefined || attempts > 1;
  const past = resumed ? await readPast(deps.store, id) : NO_PAST;
  const approved = deps.approved.has(pairingKeyOf(message, deps));
  const { authority, path } = authorityOf({ message, account, channel, config: config.config, approved });
  const journal = createTurnJournal(id, past, deps);
  const prefixed = { cfg: config.config, agentId: agent.id, channel: row.channel, accountId: row.account };
  return {
    id,
    row,
    message,
    text: channel.mentions?.strip(message.text, message) ?? message.text,
    decisions: decisionsOf(row),
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
    sends: new ToolSends(message.conversation, deps.channels, (text) => stripControlText(text, config.config.messages.silentToken).text),
    prefix: new TurnPrefix(prefixed, journal.spokeBefore),
    signal: lane.signal,
  };
}

/** Transaction T. A turn that only the store held up is the same start still, and is not counted again. */
async function countStart(id: string, row: InboxRow, sessionKey: string, configRev: number, deps: Deps): Promise<number> {
  const start = { id, sessionKey, owner: deps.owner, inboxIdsJson: JSON.stringify([row.id]), configRev, startedAt: deps.clock.now() };
  const { attempts } = await deps.store.write((tx) => startTurn(tx, start), "committed");
  return attempts;
}

/** Ends a message without a turn, or one whose turn cannot go on. */
export async function endInbound(row: InboxRow, decision: Decision, disposition: "dropped" | "aborted", deps: Deps): Promise<void> {
  const decisions = [...decisionsOf(row), withOrigin(decision, deps.config.current())];
  const turn = turnIdOf(row.id);
  // An earlier start may have left parts. What people saw of a stopped answer stays, and nothing follows.
  if (disposition === "aborted") await deps.worker.cancelTurn(turn);
  await deps.store.write(async (tx) => {
    await finishInbound(tx, { id: row.id, disposition, decisionsJson: JSON.stringify(decisions), delivery: null });
    await refreshDelivery(tx, turn);
    await eraseSteps(tx, turn);
  }, "committed");
  deps.logger.info({ trace: row.id, channel: row.channel, account: row.account, disposition }, decision.why);
}
