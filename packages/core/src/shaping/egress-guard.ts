import { stripControlText } from "./control-text.ts";

export interface GuardContext {
  readonly silentToken: string;
}

/** What the guard lets through. `acted` is true when an earlier stage missed something: log `found`, never the text. */
export interface GuardedText {
  readonly text: string;
  readonly acted: boolean;
  /** The kinds of control text that were removed, such as `reasoning` or `reply-tag`. */
  readonly found: readonly string[];
}

/**
 * The last guard before a transport, for every path that can send (final, block, preview, edit, tool, error): applies what
 * shaping removes once more to the Markdown of a part. Shaped text comes out as it went in; never throws.
 * It has to see Markdown, since in rendered text nothing tells a quoted tag in a code block from a real one.
 */
export function guardControlText(text: string, context: GuardContext): GuardedText {
  const { text: safe, found } = stripControlText(text, context.silentToken);
  return { text: safe, acted: found.length > 0, found };
}

/** The safe text alone, for callers that have nowhere to log. */
export function assertNoControlText(text: string, context: GuardContext): string {
  return guardControlText(text, context).text;
}
