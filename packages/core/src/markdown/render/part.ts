import type { MarkdownIR, RenderedPart, RenderProfile } from "@trunkline/plugin-sdk";
import { layoutIR } from "./layout.ts";
import { renderMarkdownWithMarkers } from "./markers.ts";
import { renderSpans } from "./spans.ts";

const VISIBLE = /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Whether a person would see anything: platforms refuse text that is only spaces or invisible characters. */
export function hasVisibleText(text: string): boolean {
  return VISIBLE.test(text);
}

/** Renders one prepared IR that is small enough. */
export function renderIR(ir: MarkdownIR, profile: RenderProfile): RenderedPart {
  const layout = layoutIR(ir, profile.blocks);
  if (profile.output === "spans") {
    const { text, entities } = renderSpans(layout);
    return { text, entities, length: profile.measure(text), plain: text };
  }
  const { escape, link } = profile;
  const text = renderMarkdownWithMarkers(layout.ir, {
    styleMarkers: profile.styleMarkers,
    escapeText: escape.text,
    escapeCode: escape.code,
    markLink: (span, label) => link.mark?.(escape.link(span.href), label) ?? null,
  });
  return { text, length: profile.measure(text), plain: layout.ir.text };
}
