import type { MarkdownIR, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { TABLE_WIDTH } from "../options.ts";
import { gridTables } from "../table/from-ir.ts";
import { fitStyles } from "./fit-styles.ts";
import { headingStyles, layoutIR } from "./layout.ts";
import { renderMarkdownWithMarkers } from "./markers.ts";
import { spanHtml } from "./span-html.ts";
import { renderSpans } from "./spans.ts";

const VISIBLE = /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Whether a person would see anything: platforms refuse text that is only spaces or invisible characters. */
export function hasVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}

/** One part, and the offset in its IR up to which its blocks keep the platform's limits. */
export interface Fitted {
  readonly part: RenderedPart;
  readonly fits: number;
}

/** Renders one prepared IR with its blocks, where the channel has such. */
export function renderFitted(ir: MarkdownIR, profile: RenderProfile): Fitted {
  const part = renderIR(ir, profile);
  const built = profile.output === "blocks" ? profile.buildBlocks?.(ir) : undefined;
  if (built === undefined || built.blocks.length === 0) return { part, fits: ir.text.length };
  return { part: { ...part, blocks: built.blocks }, fits: built.fits };
}

/** Renders one prepared IR that is small enough, without its blocks. */
export function renderIR(source: MarkdownIR, profile: RenderProfile): RenderedPart {
  const ir = profile.output === "blocks" ? gridTables(source, profile.tableWidth ?? TABLE_WIDTH) : source;
  const styled = { ...ir, styles: headingStyles(ir, profile.blocks) };
  if (profile.output === "spans") {
    const spans = renderSpans(layoutIR(styled, profile.blocks));
    const { text, entities } = spans;
    const shown = { length: profile.measure(text), plain: text };
    return profile.spansAs === "html" ? { text: spanHtml(spans), markup: "html", ...shown } : { text, entities, ...shown };
  }
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
  return { text, length: profile.measure(text), plain: layout.ir.text };
}
