/** Where values begin and end that a whole configuration may have: a thousand agents of five keys fit. */
const MOST_MARKS = 20_000;

/** A line break, what separates keys, values and entries, and aliases and anchors: the parser's work grows with their number, not with letters. */
const MARKS = /[\n,[{]|:(?=\s)|-(?=[ \t])|[*&]\w/g;

/** How much YAML there may still be in one configuration. */
export interface YamlRoom {
  /** Takes the room for a text. Gives where it is too much, or undefined when it fits. */
  take(text: string): { readonly offset: number; readonly message: string; readonly hint: string } | undefined;
}

/** Creates the room of one configuration, shared by its files. */
export function createYamlRoom(): YamlRoom {
  let left = MOST_MARKS;
  return {
    take(text) {
      for (const { index } of text.matchAll(MARKS)) {
        left -= 1;
        if (left < 0) {
          return {
            offset: index,
            message: "the configuration holds too many values",
            hint: "Remove what is not needed; long texts belong into files of their own, such as instructions: ./agents/aria.md.",
          };
        }
      }
      return undefined;
    },
  };
}
