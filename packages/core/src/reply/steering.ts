import { type ChannelPlugin, type Clock, conversationKey, type Store } from "@trunkline/plugin-sdk";
import type { Listen } from "../journal/agent-journal.ts";
import type { Queue } from "../lanes/look.ts";
import type { Waiting } from "../lanes/plan.ts";
import { type InboxRow, inboundByIds, joinTurn } from "../store/inbox.ts";
import { nameInbound } from "../store/turns.ts";
import { combine } from "./batch.ts";
import { messageOf } from "./rows.ts";
import { speakerLine } from "./prompt.ts";

export interface SteeringDeps {
  readonly store: Store;
  readonly queue: Pick<Queue, "settings" | "behind">;
  readonly clock: Clock;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, ChannelPlugin<any>>;
}

interface Steered {
  readonly turn: string;
  readonly sessionKey: string;
  /** What it answers from the start. */
  readonly rows: readonly InboxRow[];
  /** What earlier starts took in while they ran. */
  readonly before: readonly InboxRow[];
  readonly hasMore: () => boolean;
}

/** Messages that join a turn while it runs, where the queue mode is `steer`. */
export class Steering {
  readonly #turn: Steered;
  readonly #deps: SteeringDeps;
  #taken: readonly InboxRow[];

  constructor(turn: Steered, deps: SteeringDeps) {
    this.#turn = turn;
    this.#deps = deps;
    this.#taken = turn.before;
  }

  /** What the turn took in so far, over all its starts. */
  taken(): readonly InboxRow[] {
    return this.#taken;
  }

  /** What came since the last model step, out of the queue and into the journal in one transaction. */
  readonly listen: Listen = async (keep) => {
    const { turn, sessionKey, hasMore, rows } = this.#turn;
    const { queue, store, channels } = this.#deps;
    if (!hasMore() || (await queue.settings(sessionKey)).mode !== "steer") return undefined;
    const joining = this.#whole(await queue.behind(sessionKey, turn));
    const channel = channels.get(rows[0]!.channel);
    if (joining.length === 0 || channel === undefined) return undefined;
    const joined = await store.write(async (tx) => {
      // As they are now: a person may have changed or withdrawn one meanwhile.
      const current = (
        await inboundByIds(
          tx,
          joining.map(({ row }) => row.id),
        )
      ).filter(({ state }) => state === "open");
      if (current.length === 0) return undefined;
      const { message, text, named } = combine(current.map(messageOf), channel);
      const said = named || message.conversation.kind === "direct" ? text : speakerLine(message) + text;
      const ids = current.map(({ id }) => id);
      for (const id of ids) await joinTurn(tx, { id, turn });
      await nameInbound(tx, { id: turn, inboxIdsJson: JSON.stringify([...rows, ...this.#taken].map(({ id }) => id).concat(ids)) });
      await keep(tx, { ids, text: said });
      return { said, current };
    }, "committed");
    if (joined === undefined) return undefined;
    this.#taken = [...this.#taken, ...joined.current];
    return joined.said;
  };

  /** What may join: the talk of this conversation up to the first command, as far as no more pieces of it are to come. */
  #whole(behind: readonly Waiting[]): readonly Waiting[] {
    const place = this.#turn.rows[0]!.conv;
    const end = behind.findIndex(({ own, message }) => own || conversationKey(message.conversation) !== place);
    const talk = end === -1 ? behind : behind.slice(0, end);
    const last = talk.at(-1);
    if (last === undefined || end !== -1 || this.#deps.clock.now() >= last.row.receivedAt + last.piecesMs) return talk;
    // More pieces of the last one are to come.
    return talk.slice(
      0,
      talk.findLastIndex(({ goesOn }) => !goesOn),
    );
  }
}
