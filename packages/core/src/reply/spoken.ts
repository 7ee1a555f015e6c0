import { withoutBlocks, withoutOverlap } from "../journal/seam.ts";
import type { TurnJournal } from "../journal/turn-journal.ts";

/** What an agent has said so far in a turn, and what of it people do not have yet. */
export class Spoken {
  readonly #journal: Pick<TurnJournal, "blocksOfMessage" | "endMessage">;
  readonly #whole: string[] = [];
  #undelivered: string[] = [];
  #growing = "";
  #anew = false;

  constructor(journal: Pick<TurnJournal, "blocksOfMessage" | "endMessage">) {
    this.#journal = journal;
  }

  /** A piece of the message that is being said; gives the answer so far, without what was delivered. Cheap: it runs per streamed piece. */
  grow(delta: string): string {
    this.#growing = this.#anew ? delta : this.#growing + delta;
    this.#anew = false;
    return [...this.#undelivered, this.rest()].join("\n\n");
  }

  /** Another attempt begins the message anew. Until it says something, what the one before said is the best that there is. */
  again(): void {
    this.#anew = true;
  }

  /** People get what earlier messages left. */
  deliver(): void {
    this.#undelivered = [];
  }

  /** The message is over. Gives what of it is to be sent, empty when people have all of it, and its number. */
  end(text: string): { readonly rest: string; readonly message: number } {
    const rest = withoutBlocks(text, this.#journal.blocksOfMessage());
    this.#whole.push(text);
    if (rest !== "") this.#undelivered.push(rest);
    this.#growing = "";
    this.#anew = false;
    return { rest, message: this.#journal.endMessage() };
  }

  /** What of the message that is being said people do not have. */
  rest(): string {
    const blocks = this.#journal.blocksOfMessage();
    if (blocks.length === 0) return this.#growing;
    const rest = withoutBlocks(this.#growing, blocks);
    return rest === this.#growing ? withoutOverlap(blocks.join("\n\n"), rest) : rest;
  }

  /** Whether people have a part of the message that is being said, so that it cannot be passed over in silence. */
  brokeOff(): boolean {
    return this.rest().trim() !== "" || this.#journal.blocksOfMessage().length > 0;
  }

  /** All that was said, delivered or not, as one text. */
  all(): string {
    const open = [...this.#journal.blocksOfMessage(), this.rest()];
    return [...this.#whole, ...open].filter((text) => text.trim() !== "").join("\n\n");
  }
}
