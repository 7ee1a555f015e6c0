import type { MarkdownIR, MarkdownStyle } from "@trunkline/plugin-sdk";
import { IRBuilder } from "./builder.ts";
import { allowedTarget, settleTarget } from "./links.ts";
import { stripBidi } from "./parse/parser.ts";
import type { Token } from "./parse/tokens.ts";

const STYLES: Readonly<Record<string, MarkdownStyle>> = {
  strong_open: "bold",
  strong_close: "bold",
  em_open: "italic",
  em_close: "italic",
  s_open: "strikethrough",
  s_close: "strikethrough",
  spoiler_open: "spoiler",
  spoiler_close: "spoiler",
};

/** Ids that may be mentioned with `[label](mention:ID)`. */
export type AllowedMentions = ReadonlySet<string>;

/** An IR of inline content alone. */
export function inlineIR(tokens: readonly Token[], mentions: AllowedMentions): MarkdownIR {
  const builder = new IRBuilder();
  appendInline(builder, tokens, mentions);
  return builder.finish();
}

/** Appends inline tokens: text, styles, code, links, images, math, breaks and footnote references. */
export function appendInline(builder: IRBuilder, tokens: readonly Token[], mentions: AllowedMentions): void {
  builder.settle();
  const links: { handle: number; href: string }[] = [];
  for (const token of tokens) {
    const style = STYLES[token.type];
    if (style !== undefined) {
      if (token.nesting === 1) builder.openStyle(style);
      else builder.closeStyle(style);
      continue;
    }
    switch (token.type) {
      case "text":
      case "text_special":
        builder.append(stripBidi(token.content));
        break;
      case "softbreak":
      case "hardbreak":
        builder.append("\n");
        break;
      case "code_inline":
        appendStyled(builder, stripBidi(token.content));
        break;
      case "math_inline":
        appendMath(builder, token.content);
        break;
      case "link_open":
        links.push({ handle: builder.openLink(), href: String(token.attrGet("href") ?? "") });
        break;
      case "link_close": {
        const link = links.pop();
        if (link !== undefined) closeLink(builder, link.handle, link.href, mentions);
        break;
      }
      case "image":
        appendImage(builder, token, links.at(-1)?.href);
        break;
      case "footnote_ref": {
        const handle = builder.openBlock({
          kind: "footnote",
          start: 0,
          end: 0,
          number: Number(token.meta?.["number"] ?? 0),
          reference: true,
        });
        builder.append(token.content);
        builder.closeBlock(handle);
        break;
      }
      default:
        builder.append(token.content);
    }
  }
}

function appendStyled(builder: IRBuilder, text: string): void {
  builder.openStyle("code");
  builder.append(text);
  builder.closeStyle("code");
}

function appendMath(builder: IRBuilder, text: string): void {
  const handle = builder.openBlock({ kind: "math", start: 0, end: 0, display: false });
  appendStyled(builder, text);
  builder.closeBlock(handle);
}

function closeLink(builder: IRBuilder, handle: number, href: string, mentions: AllowedMentions): void {
  const mention = /^mention:(.+)$/i.exec(href)?.[1];
  if (mention !== undefined) {
    const target = decodeTarget(mention);
    if (mentions.has(target)) builder.addMention(handle, target);
    builder.closeLink(handle, undefined);
    return;
  }
  const target = allowedTarget(href);
  if (target !== undefined && builder.label.trim() === "") builder.append(target);
  builder.closeLink(handle, target === undefined ? undefined : settleTarget(builder.label, target));
}

/** Ids keep their own characters: the parser percent-encodes targets. */
function decodeTarget(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** An image is its alt text, linked to the picture; without alt text, the address. Inside a link the outer link wins. */
function appendImage(builder: IRBuilder, token: Token, outerHref: string | undefined): void {
  const src = allowedTarget(String(token.attrGet("src") ?? ""));
  const alt = altText(token).trim();
  if (alt === "" && (src === undefined || outerHref !== undefined)) return;
  const handle = builder.openBlock({ kind: "image", start: 0, end: 0, src: src ?? "" });
  const link = outerHref === undefined ? builder.openLink() : undefined;
  builder.append(alt === "" ? (src ?? "") : alt);
  if (link !== undefined) builder.closeLink(link, src === undefined ? undefined : settleTarget(builder.label, src));
  builder.closeBlock(handle);
}

/** The text of an image's label without its markup. */
export function altText(token: Token): string {
  let text = "";
  for (const child of token.children ?? []) {
    if (child.type === "softbreak" || child.type === "hardbreak") text += " ";
    else text += child.type === "image" ? altText(child) : child.content;
  }
  return stripBidi(text);
}
