/**
 * What is agreed about text on its way out: the intermediate representation (IR) that core makes from a model's Markdown, and
 * the render profile by which a channel says, in data, how its platform shows it. All offsets and lengths are UTF-16 units.
 */

/** Inline and code styles of the IR. */
export type MarkdownStyle = "bold" | "italic" | "strikethrough" | "code" | "code_block" | "spoiler";

/** One styled range; `end` is exclusive. Spans of one IR nest and never cross. */
export interface MarkdownStyleSpan {
  readonly start: number;
  readonly end: number;
  readonly style: MarkdownStyle;
}

/** A link. `href` equal to the covered text means a bare URL. Refused schemes never get here: their label is plain text. */
export interface MarkdownLinkSpan {
  readonly start: number;
  readonly end: number;
  readonly href: string;
  /** The text is a piece of a bare URL that had to be cut. */
  readonly cut?: boolean;
}

/** A mention that the agent was allowed to make, written as `[label](mention:ID)`. `target` is the ID. */
export interface MarkdownMentionSpan {
  readonly start: number;
  readonly end: number;
  readonly target: string;
}

/** Alignment of a table column. */
export type ColumnAlign = "left" | "center" | "right";

/** Range of one table cell in the text of the IR. */
export interface TableCellRange {
  readonly start: number;
  readonly end: number;
}

interface BlockRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Structure over the text. Blocks are listed in document order, a container before what it contains, so that a channel can add its own
 * glyphs, prefixes and fences; none of them is part of the text.
 */
export type MarkdownBlock =
  | (BlockRange & { readonly kind: "heading"; readonly level: number })
  | (BlockRange & {
      readonly kind: "list_item";
      /** 1 for an item of an outermost list. */
      readonly depth: number;
      readonly ordered: boolean;
      /** The computed number of an ordered item; 0 for a bullet. */
      readonly number: number;
      readonly task?: "open" | "done";
      /** The item began in an earlier chunk: its marker was printed there. */
      readonly continued?: boolean;
    })
  | (BlockRange & { readonly kind: "quote"; readonly depth: number })
  | (BlockRange & { readonly kind: "code_block"; readonly language?: string })
  | (BlockRange & {
      readonly kind: "table";
      readonly align: readonly (ColumnAlign | undefined)[];
      /** Rows of cells; the first row is the header unless an earlier chunk had it. */
      readonly rows: readonly (readonly TableCellRange[])[];
      /** The table began in an earlier chunk: its header was shown there. */
      readonly continued?: boolean;
    })
  /** Empty range on a line of its own. */
  | (BlockRange & { readonly kind: "hr" })
  | (BlockRange & { readonly kind: "image"; readonly src: string })
  /** Inline math is also styled `code`, display math `code_block`. */
  | (BlockRange & { readonly kind: "math"; readonly display: boolean })
  /** A reference `[n]` in the text, or the note itself in the list at the end. */
  | (BlockRange & {
      readonly kind: "footnote";
      readonly number: number;
      readonly reference: boolean;
    });

/** Markdown without its markup: the visible text and everything that is known about it. */
export interface MarkdownIR {
  readonly text: string;
  readonly styles: readonly MarkdownStyleSpan[];
  readonly links: readonly MarkdownLinkSpan[];
  readonly mentions: readonly MarkdownMentionSpan[];
  readonly blocks: readonly MarkdownBlock[];
}

/** What becomes of tables: left as source, label lists, an aligned grid in code, or the platform's own tables. */
export type MarkdownTableMode = "off" | "bullets" | "code" | "native";

/** Text put before and after a styled range. */
export interface RenderStyleMarker {
  readonly open: string;
  readonly close: string;
}

/** The markers of a channel. A style without a marker is shown as its text alone. */
export type RenderStyleMap = { readonly [style in MarkdownStyle]?: RenderStyleMarker };

/** How one heading level is shown: text before each of its lines, and a style over it (the same style inside is dropped). */
export interface HeadingRule {
  readonly prefix: string;
  readonly style?: MarkdownStyle;
  /** The platform shows what has the prefix in bold: bold inside is dropped. */
  readonly bold?: boolean;
}

/** How block structure is shown in a text that has none of its own. */
export interface BlockRules {
  /** Six rules, for levels 1 to 6. */
  readonly headings: readonly HeadingRule[];
  /** Bullet by list depth; the last one serves every deeper level. Each includes its trailing space. */
  readonly bullets: readonly string[];
  /** Columns by which the inside of an item is indented, or "marker" for the width of `- ` or `N. `. */
  readonly indent: number | "marker";
  /** Task boxes, with trailing space, and whether a bullet stays before them. Numbers always stay. */
  readonly tasks: { readonly open: string; readonly done: string; readonly keepBullet: boolean };
  /** Drop the space after the marker of an item that has no text. */
  readonly trimEmptyItem: boolean;
  /** Line prefix of a quote. */
  readonly quotePrefix: string;
  /** "native": an outermost quote that is in no list is a span or tag of the platform and gets no prefix. */
  readonly quotes: "prefix" | "native";
  /** Whether lines of code inside a quote carry the prefix too. They never carry list indentation. */
  readonly prefixCode: boolean;
  readonly hr: string;
  /** Written around inline math. */
  readonly inlineMath?: RenderStyleMarker;
}

/** One end of a marked range, seen from outside. Only the outermost of several markers at one place is seen. */
export interface MarkerBorder {
  readonly side: "before" | "after";
  readonly style: MarkdownStyle;
  /** What is written at this end. */
  readonly marker: string;
  /** The character that the marker touches outside: of the text, or of a marker; empty at the end of a line. */
  readonly outside: string;
  readonly isMarker: boolean;
  /** The text between both markers. */
  readonly content: string;
}

/** What a platform asks of the places where markers stand. */
export interface MarkingRules {
  /** Styles that end with their line and begin anew in the next. */
  readonly perLine: readonly MarkdownStyle[];
  /** What has to stand between a marker and what it touches; undefined when it cannot be marked there, and the style is dropped. */
  readonly border: (border: MarkerBorder) => string | undefined;
  /** Labels of links hold no markers: those of the whole label stand around the link, others are dropped. Spoilers are kept. */
  readonly plainLabels?: boolean;
  /** Whether a style cannot go around this code or bare URL, because something in it would end the style. */
  readonly clashes?: (style: MarkdownStyle, content: string) => boolean;
}

/** Markers of code that depend on the code. */
export interface CodeMarks {
  /** `glued`: the border rule refused the usual markers; they are not asked about again. */
  readonly inline: (code: string, glued: boolean) => RenderStyleMarker;
  readonly block: (code: string, language: string | undefined) => RenderStyleMarker;
}

/** Where a piece of text stands that is to be escaped. */
export interface TextPlace {
  /** In the label of a masked link, in a bare URL, or in neither. */
  readonly within: "text" | "label" | "url";
  /** At the start of a line, or right behind the prefixes of its blocks. */
  readonly lineStart: boolean;
  /** The character written before the piece, and the one after it; empty at the ends of the message. */
  readonly before: string;
  readonly after: string;
  /** Visible text behind the piece: the beginning of it. */
  readonly ahead: string;
}

/** How links are shown. */
export interface LinkRules {
  /** "mask": the label links; "print": `label (target)`. Bare URLs are always printed as they are. */
  readonly form: "mask" | "print";
  /** Whether a label can be shown as a link; all can when absent. */
  readonly canMask?: (label: string) => boolean;
  /** Schemes that the platform can link, lower case without the colon. Others are printed. */
  readonly schemes: readonly string[];
  /**
   * Markers around a label, for marker output. A bare URL has its own target as its label, and is not escaped. `ahead` is what comes behind
   * the link: the beginning of it.
   */
  readonly mark?: (href: string, label: string, ahead: string) => RenderStyleMarker | null;
  /** What is written in place of a permitted mention, as it is; undefined for an id that names nothing, whose label stays. */
  readonly mention?: (id: string) => string | undefined;
}

/** A change that the platform would make to the text itself; made first, so that lengths and later comparisons agree. */
export interface CleanRule {
  /** Global; every match is replaced. */
  readonly pattern: RegExp;
  readonly replace: (match: string, inCode: boolean) => string;
}

/** An IR as the platform's own blocks. */
export interface BuiltBlocks {
  readonly blocks: readonly unknown[];
  /** Offset in the text of the IR up to which one message may hold the blocks; the length of the text when it may hold all. */
  readonly fits: number;
  /** How much of what one message may hold they take, where that can be said: 1 is all. A cut is tried first where this says. */
  readonly fullness: number;
}

/** Measures a rendered text in the platform's own unit. */
export type TextMeter = (text: string) => number;

/** Everything that core has to know to fit Markdown to a channel. */
export interface RenderProfile {
  /** markers: text with markup; spans: text and entities; blocks: the platform's JSON blocks; html: a safe HTML fragment. */
  readonly output: "markers" | "spans" | "blocks" | "html";
  /** How spans are written: beside the text, which is the default, or as tags in it. */
  readonly spansAs?: "entities" | "html";
  /** Most units of one message after rendering; null for no limit. For spans the text without tags is measured, as the platform does. */
  readonly limit: number | null;
  /** Most units of a media caption, where the platform has captions. */
  readonly captionLimit?: number;
  /** Most entities of one message, for spans. */
  readonly maxSpans?: number;
  readonly measure: TextMeter;
  readonly tableMode: MarkdownTableMode;
  /** Widest comfortable grid in columns; 60 when absent. */
  readonly tableWidth?: number;
  /** Most columns of a table of the platform's own; a wider one is a grid. No limit when absent. */
  readonly tableColumns?: number;
  /** Makes the blocks, for output "blocks"; pure. The rest of the profile makes the text that stands in for them. */
  readonly buildBlocks?: (ir: MarkdownIR) => BuiltBlocks;
  readonly styleMarkers: RenderStyleMap;
  /** Where markers may stand, for marker output; anywhere when absent. */
  readonly marking?: MarkingRules;
  /** Replaces the style markers of code. */
  readonly code?: CodeMarks;
  readonly blocks: BlockRules;
  readonly link: LinkRules;
  /** Escaping by place, done exactly once; for marker output. */
  readonly escape: {
    readonly text: (text: string, place: TextPlace) => string;
    readonly code: (text: string, style: "code" | "code_block") => string;
    readonly link: (href: string) => string;
  };
  readonly clean?: CleanRule;
  /** Names that the platform would wrongly turn into links; shown as inline code. Global. */
  readonly codeNames?: RegExp;
}

/** Types of Telegram's formatting entities that are ever sent. */
export type MessageEntityType = "blockquote" | "pre" | "code" | "text_link" | "bold" | "italic" | "strikethrough" | "spoiler";

/** One formatting entity in the shape of the Bot API; offset and length in UTF-16 units. */
export interface MessageEntity {
  readonly type: MessageEntityType;
  readonly offset: number;
  readonly length: number;
  /** For text_link. */
  readonly url?: string;
  /** For pre. */
  readonly language?: string;
}

/** One message as it would be sent. */
export interface RenderedPart {
  /** Exactly what would be sent (HTML for html output). */
  readonly text: string;
  readonly entities?: readonly MessageEntity[];
  /** The text has tags in it that the platform has to be told of. */
  readonly markup?: "html";
  readonly blocks?: readonly unknown[];
  /** Measured by the profile's meter. */
  readonly length: number;
  /** The visible text without any markup, for a plain resend and for logs. */
  readonly plain: string;
}
