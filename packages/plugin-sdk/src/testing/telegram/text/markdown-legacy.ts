import { badRequest } from "../refusal.ts";
import type { FormattedText, WireEntity } from "../wire.ts";
import type { FindUser } from "./given-entities.ts";
import { linkedEntity } from "./linked-entity.ts";
import { byteOffset } from "./offsets.ts";

const STYLES: Readonly<Record<string, string>> = { _: "italic", "*": "bold", "`": "code", "[": "text_link" };

/**
 * Turns the legacy "Markdown" mode into a text with entities: bold, italic, code and links, never nested.
 * @throws Refusal 400 when an entity has no end. Source: td MessageEntity.cpp, `parse_markdown`.
 */
export function parseLegacyMarkdown(source: string, findUser: FindUser): FormattedText {
  const entities: WireEntity[] = [];
  let text = "";
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    if (char === "\\" && /[_*`[]/.test(source.charAt(at + 1))) {
      text += source.charAt(at + 1);
      at += 2;
      continue;
    }
    if (STYLES[char] === undefined) {
      text += char;
      at += 1;
      continue;
    }
    const begin = at;
    const fence = source.startsWith("```", at);
    const language = fence ? (/^([^\s`]+)(?=\s)/.exec(source.slice(at + 3))?.[1] ?? "") : "";
    at += fence ? 3 + language.length : 1;
    if (fence && source.charAt(at) === "\n") at += 1;
    const marker = fence ? "```" : char === "[" ? "]" : char;
    const end = source.indexOf(marker, at);
    if (end === -1)
      throw badRequest(`Can't parse entities: Can't find end of the entity starting at byte offset ${byteOffset(source, begin)}`);
    const content = source.slice(at, end);
    const range = { offset: text.length, length: content.length };
    text += content;
    at = end + marker.length;
    let target = content;
    if (char === "[" && source.charAt(at) === "(") {
      const close = source.indexOf(")", at);
      target = source.slice(at + 1, close === -1 ? source.length : close);
      at = close === -1 ? source.length : close + 1;
    }
    if (range.length === 0) continue;
    if (char === "[") entities.push(...linkedEntity(target, range, findUser));
    else if (fence) entities.push({ type: "pre", ...range, ...(language === "" ? {} : { language }) });
    else entities.push({ type: STYLES[char] as string, ...range });
  }
  return { text, entities };
}
