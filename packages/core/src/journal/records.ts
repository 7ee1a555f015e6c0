import { describeError, type Logger, type Store, type StoreTx } from "@trunkline/plugin-sdk";
import { replyPartCount } from "../store/outbox.ts";
import { eraseSteps, saveStep, stepsOfTurn } from "../store/steps.ts";
import { type JournalRecord, readStepRow, toStepRow } from "./record.ts";

/** What earlier starts of a turn left in the store. */
export interface Past {
  /** Undefined when something in it cannot be read. */
  readonly records: readonly JournalRecord[] | undefined;
  /** Parts of the answer that are in the outbox. */
  readonly parts: number;
}

/** The past of a turn that starts for the first time. */
export const NO_PAST: Past = { records: [], parts: 0 };

/** Reads what earlier starts of a turn left. */
export async function readPast(store: Store, turn: string): Promise<Past> {
  const { rows, parts } = await store.read(async (tx) => ({ rows: await stepsOfTurn(tx, turn), parts: await replyPartCount(tx, turn) }));
  const records = rows.map(readStepRow);
  return { parts, records: records.includes(undefined) ? undefined : (records as JournalRecord[]) };
}

export interface RecordsDeps {
  readonly store: Store;
  readonly logger: Logger;
}

/** Writes the records of one turn, in order. */
export class Records {
  readonly #turn: string;
  readonly #deps: RecordsDeps;
  #next: number;
  #any: boolean;
  #refused: { readonly error: unknown } | undefined;

  constructor(turn: string, past: Past, deps: RecordsDeps) {
    this.#turn = turn;
    this.#deps = deps;
    this.#next = 1 + Math.max(-1, ...(past.records ?? []).map(({ n }) => n));
    this.#any = past.records === undefined || past.records.length > 0;
  }

  /** The place of the next record. */
  place(): number {
    this.#any = true;
    return this.#next++;
  }

  /** Lazily: what a crash forgets is found out again. */
  keep(record: JournalRecord): void {
    this.#deps.store
      .write((tx) => this.write(tx, record), "lazy")
      .catch((error: unknown) => {
        this.#refused ??= { error };
        this.#deps.logger.warn({ turn: this.#turn, error: describeError(error) }, "a step could not be stored");
      });
  }

  /** Durably, with everything that was kept before. Rejects when the store refused any of it. */
  async promise(record: JournalRecord): Promise<void> {
    await this.#deps.store.write((tx) => this.write(tx, record), "durable");
    if (this.#refused) throw this.#refused.error;
  }

  write(tx: StoreTx, record: JournalRecord): Promise<void> {
    return saveStep(tx, toStepRow(this.#turn, record));
  }

  /** In the last transaction of the turn. No statement for a turn without records. */
  async erase(tx: StoreTx): Promise<void> {
    if (this.#any) await eraseSteps(tx, this.#turn);
  }
}
