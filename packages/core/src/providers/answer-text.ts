import type { ModelEvent } from "@trunkline/plugin-sdk";

/** Longest answer that is taken, in characters of text and reasoning together; the arguments of tool calls have the same limit. */
export const ANSWER_LIMIT = 512 * 1024;

/** The text and reasoning of an answer, up to the limit. */
export interface AnswerText {
  /** Adds a piece to the events of `out`; neighbouring pieces of one kind become one event. Gives what of it was taken. */
  push(type: "text" | "reasoning", delta: string, out: ModelEvent[]): string;
  /** Counts characters that are no text, such as arguments of a call that grows. */
  count(characters: number): void;
  /** The limit is reached: nothing more is taken. */
  readonly full: boolean;
}

/** Creates an empty text. */
export function createAnswerText(): AnswerText {
  let size = 0;
  let other = 0;
  let full = false;
  return {
    get full() {
      return full;
    },
    count(characters) {
      other += characters;
      full ||= other > ANSWER_LIMIT;
    },
    push(type, delta, out) {
      if (delta === "" || full) return "";
      const room = ANSWER_LIMIT - size;
      const taken = delta.length <= room ? delta : withoutHalfCharacter(delta.slice(0, room));
      size += delta.length;
      full = size > ANSWER_LIMIT;
      const last = out.at(-1);
      if (last?.type === type) out[out.length - 1] = { type, delta: last.delta + taken };
      else if (taken !== "") out.push({ type, delta: taken });
      return taken;
    },
  };
}

/** A cut between the halves of a surrogate pair takes the first half away. */
function withoutHalfCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
