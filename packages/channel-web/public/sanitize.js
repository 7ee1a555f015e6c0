/**
 * Turns an HTML fragment into nodes of known kinds. The server sends safe HTML already; this is the second lock, and it is small enough
 * to be read: elements that are not listed vanish but for their text, attributes that are not listed vanish, and links go to the web or
 * to mail alone.
 */

const ATTRIBUTES = {
  a: ["href", "title"],
  blockquote: [],
  br: [],
  code: ["class"],
  del: [],
  details: [],
  div: ["class"],
  em: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  hr: [],
  input: ["type", "checked", "disabled"],
  li: ["class", "value"],
  ol: ["start"],
  p: [],
  pre: ["class"],
  s: [],
  span: ["class"],
  strong: [],
  sub: [],
  summary: [],
  sup: [],
  table: [],
  tbody: [],
  td: ["align", "class"],
  th: ["align", "class", "scope"],
  thead: [],
  tr: [],
  ul: ["class"],
};
/** Elements whose text is no text for people. */
const OPAQUE = new Set(["script", "style", "template", "noscript", "iframe", "object", "svg", "math", "title", "textarea", "select"]);
const SCHEMES = new Set(["http:", "https:", "mailto:"]);
/** Elements deeper than this are flattened, so that nesting costs nothing. */
const DEPTH = 60;

/** The fragment of `html` that is allowed here. */
export function sanitize(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const fragment = document.createDocumentFragment();
  copyChildren(parsed.body, fragment, 0);
  return fragment;
}

function copyChildren(from, to, depth) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    else if (node.nodeType === Node.ELEMENT_NODE) copyElement(node, to, depth);
  }
}

function copyElement(element, to, depth) {
  const name = element.localName;
  if (OPAQUE.has(name)) return;
  const allowed = Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name] : undefined;
  if (allowed === undefined || depth > DEPTH) return copyChildren(element, to, depth);
  if (name === "input" && element.getAttribute("type") !== "checkbox") return;
  const copy = document.createElement(name);
  for (const attribute of allowed) {
    const value = element.getAttribute(attribute);
    if (value !== null) copy.setAttribute(attribute, value);
  }
  if (element.dir !== "") copy.dir = element.dir;
  if (name === "a") secureLink(copy);
  if (name === "input") copy.disabled = true;
  copyChildren(element, copy, depth + 1);
  to.append(copy);
}

/** A link opens beside the chat and tells the other page nothing. */
function secureLink(link) {
  const href = link.getAttribute("href") ?? "";
  if (!URL.canParse(href) || !SCHEMES.has(new URL(href).protocol)) return link.removeAttribute("href");
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
}
