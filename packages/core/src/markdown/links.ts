import { normalizeTarget, stripBidi } from "./parse/parser.ts";

/** Schemes that may reach a reader at all. Everything else (javascript, data, file, tg, ...) prints its label only. */
const KNOWN_SCHEMES = new Set(["http", "https", "mailto", "tel", "sms", "ftp"]);
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const URL_IN_LABEL = /(?:https?:\/\/|www\.)[^\s<>()"]+/i;
const DOMAIN_LABEL =
  /^(?:[\p{L}\p{N}-]+\.)+(?:com|net|org|edu|gov|mil|io|dev|app|ai|co|info|biz|bank|example|me|tv|uk|de|fr|cn|jp|kr|ru|br|in|eu|us|ca|au|ch|nl|it|es|pl|se|no)(?:[/?#:]\S*)?$/iu;

/** The scheme of a target in lower case, or undefined for a relative one. */
export function schemeOf(href: string): string | undefined {
  return SCHEME.exec(href)?.[1]?.toLowerCase();
}

/** The target as it may be shown, or undefined when its scheme is refused. Relative targets are text and pass. */
export function allowedTarget(href: string): string | undefined {
  const clean = stripBidi(href).trim();
  if (clean === "") return undefined;
  const scheme = schemeOf(clean);
  // A control character or white space inside would let `java\tscript:` through to a lenient reader.
  if (scheme === undefined) return /^[^/?#]*(?::|%3a)/i.test(clean) ? undefined : clean;
  return KNOWN_SCHEMES.has(scheme) ? clean : undefined;
}

/** How a target is written in text: a mail address or number without its scheme, everything else as it is. */
export function printedTarget(href: string): string {
  return href.replace(/^(?:mailto|tel|sms):/i, "");
}

/** The label itself when label and target are the same URL written in two ways, else the target. */
export function settleTarget(label: string, href: string): string {
  if (label === href || !/^https?:\/\//i.test(label)) return href;
  return trimSlash(normalizeTarget(label)) === trimSlash(href) ? label : href;
}

function trimSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}

/** What a reader does not see, and what stands between letters unseen. */
const UNSEEN = /\p{Cf}|\p{Variation_Selector}|\u034f|[\u115f\u1160\u2800\u3164\uffa0]/gu;
/** Four numbers, as an address without a name is written. */
const IP_LABEL = /^(?:\/\/)?\d{1,3}(?:\.\d{1,3}){3}(?:[:/?#]\S*)?$/;

/** A label as it reads: full-width letters are letters, what is invisible is not there. */
function asRead(label: string): string {
  return /[^ -~]/.test(label) ? label.normalize("NFKC").replace(UNSEEN, "") : label;
}

/** True when a label reads as the address of another place than its target: then both must be shown. */
export function isDeceptiveLabel(written: string, href: string): boolean {
  const label = asRead(written);
  const url = URL_IN_LABEL.exec(label)?.[0];
  if (url !== undefined) {
    const whole = url.length === label.trim().length;
    const full = /^https?:/i.test(url) ? url : `https://${url}`;
    return whole && /^https?:/i.test(url) ? trimSlash(normalizeTarget(full)) !== trimSlash(href) : hostOf(full) !== hostOf(href);
  }
  const text = label.trim();
  if (text.length >= 300) return false;
  if (IP_LABEL.test(text)) return hostOf(`https://${text.replace(/^\/\//, "")}`) !== hostOf(href);
  // "see bank.com" names a place as "bank.com" does; more words are a sentence about it.
  const words = text.split(/\s+/).slice(0, 5);
  if (words.length > 4) return false;
  return words.some((word) => {
    const name = word.replace(/^(?:\/\/|["'(])/, "").replace(/["').,;:!?]+$/, "");
    return DOMAIN_LABEL.test(name) && hostOf(`https://${name}`) !== hostOf(href);
  });
}

function hostOf(url: string): string {
  const match = /^[a-z]+:\/\/(?:[^/?#@]*@)?([^/?#:]*)/i.exec(normalizeTarget(url));
  return (match?.[1] ?? "").toLowerCase().replace(/^www\./, "");
}
