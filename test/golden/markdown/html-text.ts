import { type DefaultTreeAdapterMap, parseFragment } from "parse5";

type Node = DefaultTreeAdapterMap["node"];
type Element = DefaultTreeAdapterMap["element"];

/** Elements of a fragment, by an HTML parser that knows nothing of ours. */
export function readHtml(html: string): Node {
  return parseFragment(html);
}

/** The text content of a fragment; an image counts as its alternative text. */
export function textOf(html: string): string {
  return contentOf(parseFragment(html));
}

function contentOf(node: Node): string {
  if ("value" in node) return node.value;
  if (!("childNodes" in node)) return "";
  return node.childNodes.map(contentOf).join("");
}

/** An attribute of an element. */
export function attributeOf(element: Element, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value;
}

/** A fragment as a pattern that what is shown of it has to match, without white space: its text, and the glyphs that a channel may add. */
export function shownPattern(html: string): RegExp {
  return new RegExp(`^${patternOf(parseFragment(html))}$`, "u");
}

const MARKER = "(?:[•◦▪\\-])?(?:☐|☑|\\[\\]|\\[x\\])?";

function patternOf(node: Node): string {
  if ("value" in node) return literal(node.value);
  const children = (): string => ("childNodes" in node ? node.childNodes.map(patternOf).join("") : "");
  if (!("tagName" in node)) return children();
  switch (node.tagName) {
    case "a":
      return children() + target(attributeOf(node, "href"));
    case "img": {
      const alt = attributeOf(node, "alt") ?? "";
      return `(?:${literal(alt)})` + target(attributeOf(node, "src"));
    }
    case "hr":
      return "(?:─{10}|-{3})?";
    case "ol": {
      let number = Number(attributeOf(node, "start") ?? 1);
      return node.childNodes
        .map((item) => ("tagName" in item && item.tagName === "li" ? `(?:${number++}\\.)?${patternOf(item)}` : patternOf(item)))
        .join("");
    }
    // Borders of a grid.
    case "thead":
      return `${children()}[-|]*`;
    case "th":
    case "td":
      return `${children()}\\|?`;
    case "li":
      // The boxes of tasks are GFM's, and text to the reference.
      return MARKER + children().replace(/^\\\[x?\\\]/i, "(?:$&)?");
    default:
      return children();
  }
}

/** Where a link goes may be printed behind its label, or be the label where there is none. */
function target(href: string | undefined): string {
  if (href === undefined || href === "") return "";
  const printed = literal(href.replace(/^(?:mailto|tel|sms):/i, ""));
  return `(?:\\(?(?:${printed}|${literal(href)})\\)?)?`;
}

function literal(text: string): string {
  return squeezed(text).replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Text without white space, invisible characters and quote signs. */
export function squeezed(text: string): string {
  return text.replace(/[\s>\p{Cf}]/gu, "");
}
