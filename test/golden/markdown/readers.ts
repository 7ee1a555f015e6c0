import { type DefaultTreeAdapterMap, html as spec, parseFragment, type ParserError } from "parse5";
import type { RenderedPart } from "@trunkline/plugin-sdk";
import { readDiscord } from "./discord-reader.ts";
import { attributeOf, textOf } from "./html-text.ts";

type Node = DefaultTreeAdapterMap["node"];

/** Text without white space, invisible characters, quote prefixes and list numbers' room, all of which may be repeated after a cut. */
export function essence(text: string): string {
  return text.replace(/[\s>\p{Cf}]/gu, "");
}

/** What a person sees of a part, by a reader of the channel. Slack and WhatsApp have no escapes: their marks cannot be told from text. */
export function visibleOf(channel: string, part: RenderedPart): string {
  if (channel === "web" || channel === "telegram html") return textOf(part.text);
  if (channel === "discord") return readDiscord(part.text).visible;
  return channel === "telegram" ? part.text : part.plain;
}

/** What is open at the end of a part, or wrong inside it. */
export function balanceFaults(channel: string, { text, plain }: RenderedPart): readonly string[] {
  if (channel === "web") return htmlFaults(text, WEB_TAGS);
  if (channel === "telegram html") return htmlFaults(text, TELEGRAM_TAGS);
  if (channel === "discord") {
    const { visible, tokens } = readDiscord(text);
    // A mark that found no partner is visible, and was not in the text.
    return [...tokens, ...(essence(visible) === essence(plain) ? [] : [`${visible} is not ${plain}`])];
  }
  const fences = text.match(/```/g) ?? [];
  return fences.length % 2 === 0 ? [] : [`${fences.length} fences`];
}

const WEB_TAGS = new Map(
  Object.entries({
    a: ["href", "target", "rel"],
    ol: ["dir", "start"],
    li: ["dir", "class"],
    input: ["type", "disabled", "checked"],
    code: ["class"],
    span: ["class"],
    p: ["dir", "class"],
    th: ["align"],
    td: ["align"],
  }),
);
for (const tag of ["ul", "blockquote", "pre", "table", "h1", "h2", "h3", "h4", "h5", "h6"]) WEB_TAGS.set(tag, ["dir"]);
for (const tag of ["strong", "em", "s", "sup", "br", "hr", "thead", "tbody", "tr"]) WEB_TAGS.set(tag, []);

/** Source: core.telegram.org/bots/api#html-style. */
const TELEGRAM_TAGS = new Map(
  Object.entries({ a: ["href"], code: ["class"], b: [], i: [], s: [], pre: [], blockquote: [], "tg-spoiler": [] }),
);

/** Faults that an HTML parser finds, and tags, attributes and targets that are not known to be harmless. */
function htmlFaults(html: string, known: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const faults: string[] = [];
  const onParseError = ({ code, startOffset }: ParserError): void => {
    // Control characters that a model wrote are text.
    if (!/control-character|noncharacter/.test(code)) faults.push(`${code} at ${startOffset}`);
  };
  look(parseFragment(html, { onParseError, sourceCodeLocationInfo: true }));
  return faults;

  function look(node: Node): void {
    if (!("childNodes" in node)) return;
    if ("tagName" in node) {
      const allowed = known.get(node.tagName);
      if (allowed === undefined || node.namespaceURI !== spec.NS.HTML) faults.push(`a tag ${node.tagName}`);
      for (const { name } of node.attrs) if (!allowed?.includes(name)) faults.push(`an attribute ${name} of ${node.tagName}`);
      const href = attributeOf(node, "href");
      if (href !== undefined && !/^(?:https?:\/\/|mailto:)/.test(href)) faults.push(`a link to ${href}`);
      const { startTag, endTag } = node.sourceCodeLocation ?? {};
      const alone = ["br", "hr", "input"].includes(node.tagName);
      if (startTag === undefined || (endTag === undefined && !alone)) faults.push(`${node.tagName} is not closed`);
    }
    node.childNodes.forEach(look);
  }
}
