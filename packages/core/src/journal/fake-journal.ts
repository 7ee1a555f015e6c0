import { type AgentJournal, silentLogger, type Store } from "@trunkline/plugin-sdk";
import type { JournaledRun } from "./agent-journal.ts";
import { NO_PAST } from "./records.ts";
import { createTurnJournal, type TurnJournal } from "./turn-journal.ts";

/** A store that takes everything and keeps nothing. */
const blotter = { write: async () => undefined } as unknown as Store;

/** The journal of a turn that starts for the first time, and that nobody will read. For tests only. */
export function fakeTurnJournal(): TurnJournal {
  return createTurnJournal("tn_1", NO_PAST, { store: blotter, logger: silentLogger });
}

/** The agent's side of such a journal. */
export function fakeAgentJournal(run: Omit<JournaledRun, "logger">, over: Partial<AgentJournal> = {}): AgentJournal {
  return { ...fakeTurnJournal().forAgent({ ...run, logger: silentLogger }), ...over };
}
