/**
 * The parts of the Markdown parser's data that this folder relies on, as structure: only parser.ts knows the library.
 */

/** A token of the parser's stream. Inline content hangs under `children` of an `inline` or `image` token. */
export interface Token {
  type: string;
  tag: string;
  content: string;
  markup: string;
  info: string;
  nesting: -1 | 0 | 1;
  level: number;
  hidden: boolean;
  block: boolean;
  map: [number, number] | null;
  meta: Record<string, unknown> | null;
  children: Token[] | null;
  attrs: [name: string, value: string | number][] | null;
  attrGet(name: string): string | number | null;
}

/** What rules share during one parse. */
export interface ParseEnv {
  [key: string | symbol]: unknown;
  references?: Record<string, { title: string; href: string }>;
  /** Turn bare http(s) URLs into links. */
  linkify?: boolean;
  footnotes?: Footnotes;
  /** Where the last shortcode ended, so that another may follow it directly. */
  shortcodeEnd?: number;
}

/** Footnotes of one parse: definitions by label, and the order in which they were referred to. */
export interface Footnotes {
  readonly definitions: Map<string, string>;
  /** Label (or a unique key for an inline note) to its number. */
  readonly numbers: Map<string, number>;
  /** Source text per number, starting at 1. */
  readonly sources: string[];
}

/** A run of marker characters that may open or close a span. */
export interface Delimiter {
  marker: number;
  length?: number;
  token: number;
  end: number;
  open: boolean;
  close: boolean;
}

/** State of inline rules. */
export interface InlineState {
  src: string;
  env: ParseEnv;
  pos: number;
  posMax: number;
  pending: string;
  linkLevel: number;
  tokens: Token[];
  tokens_meta: ({ delimiters?: Delimiter[] } | undefined)[];
  delimiters: Delimiter[];
  push(type: string, tag: string, nesting: -1 | 0 | 1): Token;
}

/** State of block rules. */
export interface BlockState {
  src: string;
  env: ParseEnv;
  bMarks: number[];
  eMarks: number[];
  tShift: number[];
  sCount: number[];
  blkIndent: number;
  line: number;
  level: number;
  push(type: string, tag: string, nesting: -1 | 0 | 1): Token;
  getLines(begin: number, end: number, indent: number, keepLastLF: boolean): string;
  isEmpty(line: number): boolean;
}
