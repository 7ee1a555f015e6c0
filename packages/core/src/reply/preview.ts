import type { NewPart } from "../store/outbox.ts";

/**
 * What becomes of a preview that shows: `replaced` the first of the parts takes its place, and without parts it is taken away; `aside` the
 * parts stand beside it, and it goes; `kept` it stays as it is.
 */
export type PreviewEnd = "replaced" | "aside" | "kept";

/** Shows a growing answer where the channel can. Volatile: losing it loses nothing. */
export interface Preview {
  /** The raw answer so far. Cheap to call per delta. */
  grow(text: string): void;
  /** Whether anything of the answer was shown. */
  readonly isShown: boolean;
  /** Grows no more, and gives what a person sees that is no message yet: the shaped text, "" when there is none. It stays until `close`. */
  freeze(): string;
  /** Ends what shows, for parts that are about to be written; gives the parts to write. What grows later shows anew. */
  resolve(rows: readonly NewPart[], end: PreviewEnd): Promise<readonly NewPart[]>;
  /** Stops; a draft is taken away. */
  close(): void;
}

/** For channels that can show nothing before it is finished. */
export const NO_PREVIEW: Preview = { grow: () => {}, isShown: false, freeze: () => "", resolve: async (rows) => rows, close: () => {} };
