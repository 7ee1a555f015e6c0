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

/** One part, how many spans it has, and the offset in its IR up to which its blocks keep the platform's limits. */
export interface Fitted {
  readonly part: RenderedPart;
  readonly spans: number;
  readonly fits: number;
}

/** Renders one prepared IR with its blocks, where the channel has such. When they are too many, that is told and the text is not made. */
export function renderFitted(ir: MarkdownIR, profile: RenderProfile): Fitted {
  if (profile.output === "spans") return { ...renderSpanPart(ir, profile), fits: ir.text.length };
  const built = profile.output === "blocks" ? profile.buildBlocks?.(ir) : undefined;
  if (built !== undefined && built.fits < ir.text.length) return { part: NO_PART, spans: 0, fits: built.fits };
  const part = renderIR(ir, profile);
  if (built === undefined || built.blocks.length === 0) return { part, spans: 0, fits: ir.text.length };
  return { part: { ...part, blocks: built.blocks }, spans: 0, fits: built.fits };
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
