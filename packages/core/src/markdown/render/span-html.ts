import type { MessageEntity } from "@trunkline/plugin-sdk";
import type { SpanText } from "./spans.ts";

/** Tags of the Bot API's HTML. Source: core.telegram.org/bots/api#html-style. */
const TAGS: Readonly<Record<Exclude<MessageEntity["type"], "pre" | "text_link">, string>> = {
  blockquote: "blockquote",
  code: "code",
  bold: "b",
  italic: "i",
  strikethrough: "s",
  spoiler: "tg-spoiler",
};

/** A text with entities as the Bot API's HTML, which says the same: parsed, it is that text with those entities. */
export function spanHtml({ text, entities }: SpanText): string {
  const out: string[] = [];
  const open: { readonly end: number; readonly close: string }[] = [];
  let from = 0;
  const copyTo = (to: number): void => {
    out.push(escaped(text.slice(from, to)));
    from = to;
  };
  const closeBefore = (position: number): void => {
    for (let last = open.at(-1); last !== undefined && last.end <= position; last = open.at(-1)) {
      copyTo(last.end);
      out.push(last.close);
      open.pop();
    }
  };
  for (const entity of entities) {
    closeBefore(entity.offset);
    copyTo(entity.offset);
    const [start, close] = tagsOf(entity);
    out.push(start);
    open.push({ end: entity.offset + entity.length, close });
  }
  closeBefore(text.length);
  copyTo(text.length);
  return out.join("");
}

function tagsOf({ type, url, language }: MessageEntity): readonly [open: string, close: string] {
  if (type === "text_link") return [`<a href="${escaped(url ?? "").replaceAll('"', "&quot;")}">`, "</a>"];
  if (type !== "pre") return [`<${TAGS[type]}>`, `</${TAGS[type]}>`];
  if (language === undefined) return ["<pre>", "</pre>"];
  return [`<pre><code class="language-${escaped(language).replaceAll('"', "&quot;")}">`, "</code></pre>"];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
