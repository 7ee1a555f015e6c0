/** Blocks of facts about a conversation, as prompts of this kind begin with them: a label, and JSON in a fence. */
const METADATA = /^\s*(?:[A-Z][\w ]{2,60}\(untrusted(?: metadata)?\):[ \t]*\r?\n```(?:json)?\r?\n[\s\S]*?\n```[ \t]*(?:\r?\n)*)+/;
/** What stands around a person's words in our own prompts, at the beginning of an answer. */
const LABEL = /^\s*(?:\((?:in reply to|attached file): "(?:[^"\\\n]|\\.)*"\)[ \t]*(?:\r?\n)*)+/;
/** A page of a proxy or a provider, and nothing else. */
const HTML_PAGE = /^\s*(?:<!doctype html|<html)[\s>][\s\S]*<\/html>\s*$/i;
const ERROR_OBJECT = /^\s*\{\s*"(?:type|error|status|code|message|request_id)"\s*:[\s\S]*\}\s*$/;

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
  if (HTML_PAGE.test(text)) return true;
  if (!ERROR_OBJECT.test(text)) return false;
  try {
    const { type, error, message } = JSON.parse(text) as { readonly type?: unknown; readonly error?: unknown; readonly message?: unknown };
    const told = typeof error === "string" || (typeof error === "object" && error !== null && "message" in error);
    return told || (type === "error" && typeof message === "string");
  } catch {
    return false;
  }
}
