import type { MarkdownTableMode, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { chunkParts, type ChunkLimits } from "./chunk.ts";
import type { AllowedMentions } from "./inline.ts";
import { tokensToIR } from "./ir.ts";
import { TABLE_WIDTH } from "./options.ts";
import { parseMarkdown } from "./parse/parser.ts";
import type { Token } from "./parse/tokens.ts";
import { plainProfile } from "./plain.ts";
import { renderHtml } from "./render/html.ts";
import { hasVisibleText, renderIR } from "./render/part.ts";
import { prepareIR } from "./render/prepare.ts";
import { convertMarkdownTables } from "./table/convert.ts";

/** What one payload may set differently from the profile. */
export interface RenderOptions extends ChunkLimits {
  readonly tableMode?: MarkdownTableMode;
  /** Ids that `[label](mention:ID)` may mention. */
  readonly mentions?: AllowedMentions;
}

/**
 * Markdown as the messages of one channel: parsed once, cut so that every part fits after rendering, rendered. Empty when there is nothing
 * that a person would see; never an empty part. HTML output is one part of any length.
 */
export function renderParts(markdown: string, profile: RenderProfile, options: RenderOptions = {}): RenderedPart[] {
  const tableMode = tableModeOf(options.tableMode, profile);
  if (profile.output === "html") return htmlParts(markdown, profile, tableMode);
  const tokens = parseMarkdown(markdown, { tables: tableMode !== "off", linkify: true });
  const { ir } = tokensToIR(tokens, {
    tableMode,
    tableWidth: profile.tableWidth ?? TABLE_WIDTH,
    ...(profile.tableColumns === undefined ? {} : { tableColumns: profile.tableColumns }),
    ...(options.mentions === undefined ? {} : { mentions: options.mentions }),
  });
  return chunkParts(prepareIR(ir, profile, roomOf(profile, options)), profile, options).map((chunk) => chunk.part);
}

/** What was asked for, as far as the channel has it: `native` where the platform has no tables is what suits the channel. */
function tableModeOf(asked: MarkdownTableMode | undefined, profile: RenderProfile): MarkdownTableMode {
  const hasTables = profile.output === "html" || profile.output === "blocks";
  return asked === undefined || (asked === "native" && !hasTables) ? profile.tableMode : asked;
}

/** Units of the smallest message that there will be. */
function roomOf(profile: RenderProfile, { limit = profile.limit, firstLimit }: ChunkLimits): number | null {
  return firstLimit === undefined || limit === null ? limit : Math.min(limit, firstLimit);
}

function htmlParts(markdown: string, profile: RenderProfile, tableMode: MarkdownTableMode): RenderedPart[] {
  const source = tableMode === "code" || tableMode === "bullets" ? convertMarkdownTables(markdown, tableMode) : markdown;
  const tokens = parseMarkdown(source, { tables: tableMode !== "off", linkify: true });
  const plain = plainText(tokens);
  if (!hasVisibleText(plain)) return [];
  const text = renderHtml(tokens);
  return [{ text, length: profile.measure(text), plain }];
}

/** The plain form of an already parsed text. */
function plainText(tokens: readonly Token[]): string {
  const { ir } = tokensToIR(tokens, { tableMode: plainProfile.tableMode });
  return renderIR(prepareIR(ir, plainProfile), plainProfile).text;
}
