import type { MarkdownIR, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
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

/** Renders one prepared IR that is small enough. */
export function renderIR(ir: MarkdownIR, profile: RenderProfile): RenderedPart {
  const styled = { ...ir, styles: headingStyles(ir, profile.blocks) };
  if (profile.output === "spans") {
    const spans = renderSpans(layoutIR(styled, profile.blocks));
    const { text, entities } = spans;
    const shown = { length: profile.measure(text), plain: text };
    return profile.spansAs === "html" ? { text: spanHtml(spans), markup: "html", ...shown } : { text, entities, ...shown };
  }
  const { escape, link, code, marking } = profile;
  const layout = layoutIR({ ...styled, styles: fitStyles(styled, marking?.perLine ?? []) }, profile.blocks);
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
