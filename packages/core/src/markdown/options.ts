import type { MarkdownTableMode } from "@trunkline/plugin-sdk";
import type { AllowedMentions } from "./inline.ts";

/** How Markdown is read. */
export interface MarkdownOptions {
  /** Turn bare http(s) URLs into links. On unless set. */
  readonly linkify?: boolean;
  /** `off` unless set: a table stays the text that it was written as. */
  readonly tableMode?: MarkdownTableMode;
  /** Widest grid in columns; 60 unless set. */
  readonly tableWidth?: number;
  /** Most columns of a native table; a wider one is a grid. No limit unless set. */
  readonly tableColumns?: number;
  /** Ids that `[label](mention:ID)` may mention. Nobody unless set. */
  readonly mentions?: AllowedMentions;
}

/** Widest grid that is comfortable to read in a chat, in columns. */
export const TABLE_WIDTH = 60;
