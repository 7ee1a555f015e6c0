import type { MessageEntity } from "@trunkline/plugin-sdk";
import { codeHtml, escapeHtml, linkedText, linkHtml, spoilerHtml } from "./escape.ts";

/** Text with entities, as the app draws it: from the very entities that would be sent. */
export function entitiesHtml(text: string, entities: readonly MessageEntity[]): string {
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  let next = 0;
  const draw = (start: number, end: number): string => {
    let html = "";
    let from = start;
    for (let entity = sorted[next]; entity !== undefined && entity.offset < end; entity = sorted[next]) {
      next += 1;
      const stop = Math.min(end, entity.offset + entity.length);
      const before = text.slice(from, entity.offset);
      // A block has lines of its own, so the line end on each side of it is no blank line.
      html += linkedText(isBlock(entity) ? before.replace(/\n$/, "") : before);
      html += wrap(entity, text.slice(entity.offset, stop), () => draw(entity.offset, stop));
      from = isBlock(entity) && text[stop] === "\n" && stop < end ? stop + 1 : stop;
    }
    return html + linkedText(text.slice(from, end));
  };
  return draw(0, text.length);
}

function isBlock({ type }: MessageEntity): boolean {
  return type === "pre" || type === "blockquote";
}

const TAGS = { bold: "strong", italic: "em", strikethrough: "s", blockquote: "blockquote" } as const;

/** `inside` is called once, for it draws the entities in between too. */
function wrap(entity: MessageEntity, text: string, inside: () => string): string {
  const html = inside();
  if (entity.type === "pre") return codeHtml(text, entity.language);
  if (entity.type === "code") return `<code>${escapeHtml(text)}</code>`;
  if (entity.type === "text_link") return linkHtml(entity.url ?? "", html);
  if (entity.type === "spoiler") return spoilerHtml(html);
  const tag = TAGS[entity.type];
  return `<${tag}>${html}</${tag}>`;
}
