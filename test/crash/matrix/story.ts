import type { Point } from "./gateway-child.ts";
import type { Person } from "./world.ts";

/** Something that happens between a person and an agent, from the first word to the last answer. */
export interface Story {
  /** Its name in the table. */
  readonly name: string;
  /** The channels that it makes sense on. */
  readonly channels: readonly ("telegram" | "web")[];
  readonly place: "direct" | "group";
  /** Who runs the turns: the gateway's own step loop, or an agent of the stories that sends blocks. */
  readonly agent: "built-in" | "scripted";
  /** What the account does with a part of which nobody can say whether it arrived. */
  readonly onAmbiguous: "resend" | "hold";
  /** What the person does. `mark` is different in every run, and in every text. Goes on over a crash of the gateway. */
  play(person: Person, mark: string, until: (condition: () => boolean) => Promise<void>): Promise<void>;
  /** The answers that the person has to see in the end, in order; for each, the words that it may have. */
  answers(mark: string): readonly (readonly string[])[];
  /** Words that may stay on the screen beside them. */
  mayStay?(mark: string): readonly string[];
  /** What of a message that can be seen is compared, in order; by default all of it, as one. */
  read?(words: string): readonly string[];
  /** The tool that runs in it, once. */
  readonly tool?: { readonly name: string; readonly idempotent: boolean };
  /** Where the process dies in every run of the story. What is recorded, and killed, is the process that comes up after that. */
  readonly diesFirst?: Point;
  /** How often the story itself ends the process. */
  readonly deaths?: number;
}
