import type { InboundMessage } from "@trunkline/plugin-sdk";
import type { Deps } from "../deps.ts";
import { decideQueue } from "../lanes/decide-queue.ts";
import { takesOwnTurn } from "../lanes/own-turn.ts";
import { messageOf } from "../reply/rows.ts";
import type { InboundVerdict } from "./decide.ts";

/** What the queue of its session makes of a message that is to be answered. Asks nothing where the session is idle. */
export async function lineUp(message: InboundMessage, verdict: InboundVerdict, goesOn: boolean, deps: Deps): Promise<InboundVerdict> {
  const { sessionKey } = verdict;
  if (sessionKey === null || verdict.stops || !deps.lanes.isBusy(sessionKey)) return verdict;
  const running = deps.lanes.answering(sessionKey)[0];
  if (running === undefined) return verdict;
  const queued = decideQueue({
    message,
    settings: await deps.queue.settings(sessionKey),
    own: takesOwnTurn(message, deps.channels.get(message.conversation.channel)),
    goesOn,
    behindCommand: takesOwnTurn(messageOf(running), deps.channels.get(running.channel)),
  });
  const decisions = [...verdict.decisions, queued.decision];
  if (queued.dropped) return { ...verdict, disposition: "dropped", sessionKey: null, decisions };
  return { ...verdict, decisions, interrupts: queued.interrupts };
}
