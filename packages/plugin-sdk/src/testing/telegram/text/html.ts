import { badRequest } from "../refusal.ts";
import type { FormattedText, WireEntity } from "../wire.ts";
import { sortEntities } from "./entity-kinds.ts";
import type { FindUser } from "./given-entities.ts";
import { readTag } from "./html-tag.ts";
import { decodeReference } from "./html-references.ts";
import { linkedEntity } from "./linked-entity.ts";
import { byteOffset, hasLoneSurrogate } from "./offsets.ts";

const STYLE_OF_TAG: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  span: "spoiler",
};

interface OpenTag {
  readonly name: string;
  readonly argument: string;
  readonly format: string;
  readonly offset: number;
}

/**
 * Turns Telegram's HTML into a text with entities.
 * @throws Refusal 400 "can't parse entities: ..." with the wording and the byte offset of the real parser.
 * Source: td MessageEntity.cpp, `parse_html`; core.telegram.org/bots/api#html-style.
 */
export function parseHtml(source: string, findUser: FindUser): FormattedText {
  const open: OpenTag[] = [];
  const entities: WireEntity[] = [];
  let text = "";
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    const reference = char === "&" ? decodeReference(source, at) : undefined;
    if (reference !== undefined) {
      text += reference.text;
      at = reference.end;
    } else if (char !== "<") {
      text += char;
      at += 1;
    } else if (source.charAt(at + 1) === "/") {
      at = closeTag(source, at, open, text, entities, findUser);
    } else {
      const tag = readTag(source, at);
      open.push({ name: tag.name, argument: tag.argument, format: tag.format, offset: text.length });
      at = tag.end;
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw unparsable(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  if (hasLoneSurrogate(text)) {
    throw unparsable("Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units");
  }
  return {
    text,
    entities: sortEntities(
      entities.map(({ type, ...rest }) => (type === "code" ? { type, offset: rest.offset, length: rest.length } : { type, ...rest })),
    ),
  };
}

function closeTag(source: string, begin: number, open: OpenTag[], text: string, entities: WireEntity[], findUser: FindUser): number {
  const where = byteOffset(source, begin);
  const tag = open.at(-1);
  if (tag === undefined) throw unparsable(`Unexpected end tag at byte offset ${where}`);
  const match = /^<\/([^\s>]*)\s*(>?)/.exec(source.slice(begin));
  const name = (match?.[1] ?? "").toLowerCase();
  if (match === null || match[2] !== ">") throw unparsable(`Unclosed end tag at byte offset ${where}`);
  if (name !== "" && name !== tag.name) {
    throw unparsable(`Unmatched end tag at byte offset ${where}, expected "</${tag.name}>", found "</${name}>"`);
  }
  if (text.length > tag.offset) addEntity(tag, text, entities, findUser);
  open.pop();
  return begin + match[0].length;
}

function addEntity(tag: OpenTag, text: string, entities: WireEntity[], findUser: FindUser): void {
  const range = { offset: tag.offset, length: text.length - tag.offset };
  const last = entities.at(-1);
  const wrapsLast = last !== undefined && last.offset === range.offset && last.length === range.length;
  if (tag.name === "a") {
    entities.push(...linkedEntity(tag.argument === "" ? text.slice(tag.offset) : tag.argument, range, findUser));
  } else if (tag.name === "tg-emoji") {
    if (!/^[1-9]\d{0,19}$/.test(tag.argument)) throw unparsable("Invalid custom emoji identifier specified");
    entities.push({ type: "custom_emoji", ...range, custom_emoji_id: tag.argument });
  } else if (tag.name === "tg-time") {
    if (!/^\d{1,12}$/.test(tag.argument)) throw unparsable("Invalid date specified");
    entities.push({
      type: "date_time",
      ...range,
      unix_time: Number(tag.argument),
      ...(tag.format === "" ? {} : { date_time_format: tag.format }),
    });
  } else if (tag.name === "pre" && wrapsLast && last.type === "code" && last.language !== undefined) {
    entities[entities.length - 1] = { ...last, type: "pre" };
  } else if (tag.name === "code" && wrapsLast && last.type === "pre" && tag.argument !== "") {
    entities[entities.length - 1] = { ...last, language: tag.argument };
  } else if (tag.name === "pre" || tag.name === "code") {
    entities.push({ type: tag.name, ...range, ...(tag.argument === "" ? {} : { language: tag.argument }) });
  } else if (tag.name === "blockquote") {
    entities.push({ type: tag.argument === "" ? "blockquote" : "expandable_blockquote", ...range });
  } else {
    entities.push({ type: STYLE_OF_TAG[tag.name] ?? "bold", ...range });
  }
}

function unparsable(reason: string): Error {
  return badRequest(`Can't parse entities: ${reason}`);
}
