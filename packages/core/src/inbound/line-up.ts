import type { InboundMessage } from "@trunkline/plugin-sdk";
import type { Deps } from "../deps.ts";
import { decideQueue, decideQuiet } from "../lanes/decide-queue.ts";
import { debouncePath } from "../lanes/look.ts";
import { takesOwnTurn } from "../lanes/own-turn.ts";
import { messageOf } from "../reply/rows.ts";
import type { InboundVerdict } from "./decide.ts";

/** What the queue of its session makes of a message that is to be answered. Asks nothing where the session is idle. */
export async function lineUp(message: InboundMessage, verdict: InboundVerdict, goesOn: boolean, deps: Deps): Promise<InboundVerdict> {
  const { sessionKey } = verdict;
  if (sessionKey === null || verdict.stops) return verdict;
  const { config } = deps.config.current();
  const quiet = decideQuiet(deps.queue.quiet(message), debouncePath(message, config));
  const running = deps.lanes.answering(sessionKey)[0];
  if (running === undefined) return quiet.length === 0 ? verdict : { ...verdict, decisions: [...verdict.decisions, ...quiet] };
  const queued = decideQueue({
    settings: await deps.queue.settings(sessionKey),
    own: takesOwnTurn(message, deps.channels.get(message.conversation.channel)),
    goesOn,
    behindCommand: takesOwnTurn(messageOf(running), deps.channels.get(running.channel)),
  });
  const decisions = [...verdict.decisions, queued.decision, ...(queued.dropped ? [] : quiet)];
  if (queued.dropped) return { ...verdict, disposition: "dropped", sessionKey: null, decisions };
  return { ...verdict, decisions, interrupts: queued.interrupts };
}

/** Whether more may come that belongs to a message, so that its turn does not begin at once. */
export function waitsForMore(message: InboundMessage, { queue }: Pick<Deps, "queue">): boolean {
  const { piecesMs, debounceMs } = queue.quiet(message);
  return Math.max(piecesMs, debounceMs) > 0;
}
