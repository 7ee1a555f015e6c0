import type { Person } from "./world.ts";

/** Something that happens between a person and an agent, from the first word to the last answer. */
export interface Story {
  /** Its name in the table. */
  readonly name: string;
  readonly place: "direct" | "group";
  /** What the person does. `mark` is different in every run, and in every text. Goes on over a crash of the gateway. */
  play(person: Person, mark: string, until: (condition: () => boolean) => Promise<void>): Promise<void>;
  /** The answers that the person has to see in the end, in order; for each, the words that it may have. */
  answers(mark: string): readonly (readonly string[])[];
}
