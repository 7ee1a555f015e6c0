/** Blocks of facts about a conversation, as prompts of this kind begin with them: a label, and JSON in a fence. */
const METADATA = /^\s*(?:[A-Z][\w ]{2,60}\(untrusted(?: metadata)?\):[ \t]*\r?\n```(?:json)?\r?\n[\s\S]*?\n```[ \t]*(?:\r?\n)*)+/;
/** What stands around a person's words in our own prompts, at the beginning of an answer. */
const LABEL = /^\s*(?:\((?:in reply to|attached file): "(?:[^"\\\n]|\\.)*"\)[ \t]*(?:\r?\n)*)+/;
/** A page of a proxy or a provider about an error, and nothing else; a page that was asked for is an answer. */
const HTML_PAGE = /^\s*(?:<!doctype html|<html)[\s>][\s\S]*<\/html>\s*$/i;
const HTML_ERROR = /\b[45]\d\d\b|bad gateway|gateway time-?out|service unavailable|internal server error|access denied|rate limit/i;
const LONGEST_PAGE = 20_000;
/** What may stand before a body: the status that a library puts there. */
const STATUS = /^(?:(?:HTTP|Error|Status)(?:\/1\.1)?[ :]{1,3})?(?:[45]\d\d[ :]{1,3})?(?=\{)/i;
/** Keys of error bodies. An object that has another one is an answer. */
const ERROR_KEYS = new Set([
  "type",
  "error",
  "errors",
  "status",
  "statusCode",
  "code",
  "message",
  "request_id",
  "requestId",
  "param",
  "detail",
  "timestamp",
  "path",
  "object",
  "success",
]);

/**
 * The text without what is an echo rather than an answer: the envelope of our own prompt at its beginning, and an error body of a provider
 * when it is nothing else; then nothing is left, and the person is told that there was no answer. `speaker` is the line that stood before
 * the person's words in the prompt, when one did. Pure.
 */
export function removeEchoes(text: string, speaker?: string): string {
  if (isErrorBody(text)) return "";
  let rest = text;
  if (speaker !== undefined && rest.startsWith(speaker)) rest = rest.slice(speaker.length);
  if (/^\s*[A-Z(]/.test(rest)) rest = rest.replace(METADATA, "").replace(LABEL, "");
  return rest;
}

function isErrorBody(text: string): boolean {
  if (HTML_PAGE.test(text)) return text.length <= LONGEST_PAGE && HTML_ERROR.test(text);
  const body = text.trim().replace(STATUS, "");
  if (!body.startsWith("{") || !body.endsWith("}")) return false;
  try {
    const found = JSON.parse(body) as Readonly<Record<string, unknown>>;
    if (!Object.keys(found).every((key) => ERROR_KEYS.has(key))) return false;
    const { type, error, message } = found;
    const told = typeof error === "string" || (typeof error === "object" && error !== null && "message" in error);
    return told || (type === "error" && typeof message === "string");
  } catch {
    return false;
  }
}
