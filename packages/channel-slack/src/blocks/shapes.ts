/**
 * The part of Slack's Block Kit that answers are made of, as its reference gives it.
 * [docs.slack.dev/reference/block-kit/blocks: rich-text-block, table-block, divider-block]
 */

/** Styles of one run of text; absent means off. */
export interface TextStyle {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
}

/** What stands inside a line. */
export type InlineElement =
  | { readonly type: "text"; readonly text: string; readonly style?: TextStyle }
  | { readonly type: "link"; readonly url: string; readonly text?: string; readonly style?: TextStyle }
  | { readonly type: "user"; readonly user_id: string }
  | { readonly type: "usergroup"; readonly usergroup_id: string }
  | { readonly type: "channel"; readonly channel_id: string };

export interface RichSection {
  readonly type: "rich_text_section";
  readonly elements: readonly InlineElement[];
}

export interface RichList {
  readonly type: "rich_text_list";
  readonly style: "bullet" | "ordered";
  /** Levels of indentation; 0 for an outermost list. */
  readonly indent: number;
  /** How far above 1 the first number is. */
  readonly offset?: number;
  /** 1 draws the bar of a quote beside the list. */
  readonly border?: 1;
  readonly elements: readonly RichSection[];
}

export interface RichQuote {
  readonly type: "rich_text_quote";
  readonly elements: readonly InlineElement[];
}

export interface RichCode {
  readonly type: "rich_text_preformatted";
  readonly elements: readonly InlineElement[];
  readonly border?: 1;
  readonly language?: string;
}

export type RichElement = RichSection | RichList | RichQuote | RichCode;

export interface RichTextBlock {
  readonly type: "rich_text";
  readonly elements: readonly RichElement[];
}

export interface DividerBlock {
  readonly type: "divider";
}

/** A cell must not be empty; the first row is the header. */
export type TableCell = { readonly type: "raw_text"; readonly text: string } | RichTextBlock;

export interface TableBlock {
  readonly type: "table";
  readonly rows: readonly (readonly TableCell[])[];
  readonly column_settings: readonly { readonly align: "left" | "center" | "right"; readonly is_wrapped: boolean }[];
}

export type SlackBlock = RichTextBlock | DividerBlock | TableBlock;

/** What one message may hold; more is refused whole (invalid_blocks, msg_blocks_too_long). */
export const BLOCK_LIMITS = {
  /** [docs.slack.dev/reference/block-kit/blocks] */
  blocks: 50,
  /** Tables of one message. [field reports] */
  tables: 1,
  /** [docs.slack.dev/reference/block-kit/blocks/table-block] */
  tableRows: 100,
  tableColumns: 20,
  /** Characters of all cells together. [field reports] */
  tableText: 10_000,
  /**
   * Characters of all blocks that are no table, as JSON: about 13,200 are refused, and a divider beside the text lowers that, so the
   * markup counts. [field reports: bolt-js 2509, 2867]
   */
  json: 12_000,
  /** Characters of one run of text; a longer one is several. */
  run: 3000,
  /** Characters of a link's target. */
  url: 3000,
  /** Deepest indentation of a list that clients draw. */
  indent: 8,
} as const;
