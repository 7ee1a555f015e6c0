import { badRequest } from "../refusal.ts";
import { decodeReference } from "./html-references.ts";
import { byteOffset } from "./offsets.ts";

// Source: core.telegram.org/bots/api#html-style. There is no br, p, ul, h1, table or img.
const TAGS = new Set([
  "a",
  "b",
  "strong",
  "i",
  "em",
  "s",
  "strike",
  "del",
  "u",
  "ins",
  "tg-spoiler",
  "tg-emoji",
  "tg-time",
  "span",
  "pre",
  "code",
  "blockquote",
]);

/** A start tag: its one argument that matters, and the offset behind its ">". */
export interface StartTag {
  readonly name: string;
  readonly argument: string;
  /** Only of tg-time: how the date is shown. */
  readonly format: string;
  readonly end: number;
}

/**
 * Reads the start tag at `begin` ("<" included).
 * @throws Refusal 400 with the wording of td MessageEntity.cpp, `parse_html`.
 */
export function readTag(source: string, begin: number): StartTag {
  const where = byteOffset(source, begin);
  let at = begin + 1;
  while (at < source.length && !/[\s>]/.test(source.charAt(at))) at += 1;
  if (at >= source.length) throw unparsable(`Unclosed start tag at byte offset ${where}`);
  const name = source.slice(begin + 1, at).toLowerCase();
  if (!TAGS.has(name)) throw unparsable(`Unsupported start tag "${name}" at byte offset ${where}`);
  let argument = "";
  let format = "";
  for (;;) {
    at = skipBlanks(source, at);
    if (source.charAt(at) === ">") break;
    const attribute = readAttribute(source, at, name, where);
    argument = argumentOf(name, attribute) ?? argument;
    if (name === "tg-time" && attribute.name === "format") format = attribute.value;
    at = attribute.end;
  }
  if (name === "span" && argument !== "spoiler") {
    throw unparsable(`Tag "span" must have class "tg-spoiler" at byte offset ${where}`);
  }
  return { name, argument, format, end: at + 1 };
}

interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly end: number;
}

function readAttribute(source: string, begin: number, tag: string, where: number): Attribute {
  let at = begin;
  while (at < source.length && !/[\s=>]/.test(source.charAt(at))) at += 1;
  const name = source.slice(begin, at);
  if (at >= source.length) throw unparsable(`Unclosed start tag "${tag}" at byte offset ${where}`);
  if (name === "") throw unparsable(`Empty attribute name in the tag "${tag}" at byte offset ${where}`);
  at = skipBlanks(source, at);
  if (source.charAt(at) !== "=") {
    // "expandable" is the one attribute that needs no value.
    if (tag === "blockquote" && name === "expandable") return { name, value: "", end: at };
    throw unparsable(`Expected equal sign in declaration of an attribute of the tag "${tag}" at byte offset ${where}`);
  }
  at = skipBlanks(source, at + 1);
  if (at >= source.length) throw unparsable(`Unclosed start tag "${tag}" at byte offset ${where}`);
  const value = /["']/.test(source.charAt(at)) ? readQuoted(source, at) : readToken(source, at);
  if (value.end >= source.length) throw unparsable(`Unclosed start tag at byte offset ${where}`);
  return { name, value: value.text, end: value.end };
}

function readToken(source: string, begin: number): { text: string; end: number } {
  let end = begin;
  while (/[A-Za-z0-9.-]/.test(source.charAt(end))) end += 1;
  if (end < source.length && !/[\s>]/.test(source.charAt(end))) {
    throw unparsable(`Unexpected end of name token at byte offset ${byteOffset(source, begin)}`);
  }
  return { text: source.slice(begin, end).toLowerCase(), end };
}

function readQuoted(source: string, begin: number): { text: string; end: number } {
  const quote = source.charAt(begin);
  let text = "";
  let at = begin + 1;
  while (at < source.length && source.charAt(at) !== quote) {
    const reference = source.charAt(at) === "&" ? decodeReference(source, at) : undefined;
    text += reference?.text ?? source.charAt(at);
    at = reference?.end ?? at + 1;
  }
  return { text, end: at + 1 };
}

function argumentOf(tag: string, attribute: Attribute): string | undefined {
  const { name, value } = attribute;
  if (tag === "a" && name === "href") return value;
  if (tag === "code" && name === "class" && value.startsWith("language-")) return value.slice("language-".length);
  if (tag === "span" && name === "class" && value.startsWith("tg-")) return value.slice("tg-".length);
  if (tag === "tg-emoji" && name === "emoji-id") return value;
  if (tag === "tg-time" && name === "unix") return value;
  return tag === "blockquote" && name === "expandable" ? "expandable" : undefined;
}

function skipBlanks(source: string, from: number): number {
  let at = from;
  while (/\s/.test(source.charAt(at))) at += 1;
  return at;
}

function unparsable(reason: string): Error {
  return badRequest(`Can't parse entities: ${reason}`);
}
