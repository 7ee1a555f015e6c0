import type { MarkdownIR, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { TABLE_WIDTH } from "../options.ts";
import { gridTables } from "../table/from-ir.ts";
import { fitStyles } from "./fit-styles.ts";
import { headingStyles, layoutIR, plainOf } from "./layout.ts";
import { renderMarkdownWithMarkers } from "./markers.ts";
import { spanHtml } from "./span-html.ts";
import { renderSpans } from "./spans.ts";

const VISIBLE = /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Whether a person would see anything: platforms refuse text that is only spaces or invisible characters. */
export function hasVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}

/** One part, how many spans it has, the offset in its IR up to which its blocks keep the platform's limits, and how full they are. */
export interface Fitted {
  readonly part: RenderedPart;
  readonly spans: number;
  readonly fits: number;
  readonly fullness: number;
}

/** What may be left out of a message that will not be sent. */
export interface FitOptions {
  /** Units of the message; null for no limit. */
  readonly room: number | null;
  /** The text will be too long, as far as one can tell: it is made first, and blocks only when it is not. Else it is the other way round. */
  readonly looksLong: boolean;
}

/** Renders one prepared IR with its blocks, where the channel has such. */
export function renderFitted(ir: MarkdownIR, profile: RenderProfile, { room, looksLong }: FitOptions): Fitted {
  const all = ir.text.length;
  if (profile.output === "spans") return { ...renderSpanPart(ir, profile), fits: all, fullness: 0 };
  const { buildBlocks } = profile;
  if (profile.output !== "blocks" || buildBlocks === undefined) return { part: renderIR(ir, profile), spans: 0, fits: all, fullness: 0 };
  const early = looksLong ? undefined : buildBlocks(ir);
  if (early !== undefined && early.fits < all) return { part: NO_PART, spans: 0, ...early };
  const part = renderIR(ir, profile);
  if (early === undefined && room !== null && part.length > Math.max(1, room)) return { part, spans: 0, fits: all, fullness: 0 };
  const { blocks, fits, fullness } = early ?? buildBlocks(ir);
  return { part: blocks.length === 0 ? part : { ...part, blocks }, spans: 0, fits: blocks.length === 0 ? all : fits, fullness };
}

const NO_PART: RenderedPart = { text: "", length: 0, plain: "" };

function renderSpanPart(ir: MarkdownIR, profile: RenderProfile): { readonly part: RenderedPart; readonly spans: number } {
  const spans = renderSpans(layoutIR({ ...ir, styles: headingStyles(ir, profile.blocks) }, profile.blocks));
  const { text, entities } = spans;
  const shown = { length: profile.measure(text), plain: text };
  const part = profile.spansAs === "html" ? { text: spanHtml(spans), markup: "html" as const, ...shown } : { text, entities, ...shown };
  return { part, spans: entities.length };
}

/** Renders one prepared IR that is small enough, without its blocks. */
export function renderIR(source: MarkdownIR, profile: RenderProfile): RenderedPart {
  if (profile.output === "spans") return renderSpanPart(source, profile).part;
  const ir = profile.output === "blocks" ? gridTables(source, profile.tableWidth ?? TABLE_WIDTH) : source;
  const styled = { ...ir, styles: headingStyles(ir, profile.blocks) };
  const { escape, link, code, marking } = profile;
  const layout = layoutIR({ ...styled, styles: fitStyles(styled, marking) }, profile.blocks, link.mention);
  const text = renderMarkdownWithMarkers(layout.ir, {
    styleMarkers: profile.styleMarkers,
    escapeText: escape.text,
    escapeCode: escape.code,
    glyphs: layout.glyphs,
    codePrefixes: layout.codePrefixes,
    markLink: (span, label, ahead) => link.mark?.(label === span.href ? label : escape.link(span.href), label, ahead) ?? null,
    ...(code === undefined ? {} : { code }),
    ...(marking === undefined ? {} : marking),
  });
  return { text, length: profile.measure(text), plain: plainOf(layout) };
}
