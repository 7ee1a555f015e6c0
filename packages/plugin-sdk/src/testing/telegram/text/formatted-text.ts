import { badRequest } from "../refusal.ts";
import type { FormattedText } from "../wire.ts";
import { cleanText } from "./clean.ts";
import { detectEntities, mergeDetected } from "./detect.ts";
import { readEntities, type FindUser } from "./given-entities.ts";
import { parseHtml } from "./html.ts";
import { parseLegacyMarkdown } from "./markdown-legacy.ts";
import { parseMarkdownV2 } from "./markdown-v2.ts";
import { nestEntities } from "./nesting.ts";
import { isInvisible, trimText } from "./trim.ts";

/** Longest text of one message. Unit: UTF-16 units after entity parsing. Source: core.telegram.org/bots/api#sendmessage. */
export const TEXT_LIMIT = 4096;
/** Longest caption. Unit: UTF-16 units after entity parsing. Source: core.telegram.org/bots/api#sendphoto. */
export const CAPTION_LIMIT = 1024;
/** Entities that one message keeps; the rest is dropped without a word. Measured by others (python-telegram-bot's constant). */
export const ENTITY_LIMIT = 100;

/** What a bot sent: a text, and how its formatting is given. `parseMode` wins over `entities`. */
export interface SentText {
  readonly text: string;
  readonly parseMode: string;
  readonly entities: unknown;
}

/**
 * Reads the markup or the entities of a text, without looking at its length.
 * @throws Refusal 400 for markup or entities that the real server refuses.
 */
export function readFormatting(sent: SentText, findUser: FindUser): FormattedText {
  switch (sent.parseMode.toLowerCase()) {
    case "":
    case "none":
      return { text: sent.text, entities: readEntities(sent.entities, findUser) };
    case "html":
      return parseHtml(sent.text, findUser);
    case "markdownv2":
      return parseMarkdownV2(sent.text, findUser);
    case "markdown":
      return parseLegacyMarkdown(sent.text, findUser);
    default:
      throw badRequest("Unsupported parse_mode");
  }
}

/**
 * Turns a read text into what is stored: repaired nesting, cleaned, trimmed, with detected entities, at most 100 of them.
 * An invisible text becomes the empty text; the caller decides whether that is allowed.
 * @throws Refusal 400 for entities at impossible places.
 */
export function storeText(read: FormattedText): FormattedText {
  const cleaned = cleanText(read.text, nestEntities(read.entities));
  const trimmed = trimText({ text: cleaned.text, entities: nestEntities(cleaned.entities) });
  if (isInvisible(trimmed.text)) return { text: "", entities: [] };
  const merged = nestEntities(mergeDetected(nestEntities(trimmed.entities), detectEntities(trimmed.text)));
  return { text: trimmed.text, entities: merged.slice(0, ENTITY_LIMIT) };
}

/** `storeText` for a message: not empty and within the limit. @throws Refusal 400 otherwise. */
export function storeMessageText(read: FormattedText): FormattedText {
  const stored = storeText(read);
  if (stored.text === "") throw badRequest("Text must be non-empty");
  if (stored.text.length > TEXT_LIMIT) throw badRequest("message is too long");
  return stored;
}

/** `storeText` for a caption: may be empty. @throws Refusal 400 when it is too long. */
export function storeCaption(read: FormattedText): FormattedText {
  const stored = storeText(read);
  if (stored.text.length > CAPTION_LIMIT) throw badRequest("message caption is too long");
  return stored;
}
