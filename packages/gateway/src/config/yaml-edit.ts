import { isDeepStrictEqual } from "node:util";
import type { ConfigPath } from "@trunkline/core";
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument, stringify, type YAMLMap, type YAMLSeq } from "yaml";

/**
 * The text with one value set. Nothing else changes by a byte where that is possible: comments, order, quotes, blank lines and
 * `${VAR}` stay as they are. Where it is not, the whole is written anew by the YAML library, which keeps comments and order. Undefined
 * when the path leads through an alias or a value that is no map or list.
 */
export function setYamlValue(text: string, path: ConfigPath, value: unknown): string | undefined {
  const document = parse(text);
  if (document.errors.length > 0) return undefined;
  const target = findTarget(document, path, value);
  if (target === undefined) return undefined;
  const whole = parse(text);
  try {
    whole.setIn(target.path, whole.createNode(target.value));
  } catch {
    return undefined;
  }
  const spliced = splice(text, document, target);
  const isRight = spliced !== undefined && isSameMeaning(parse(spliced), whole);
  return isRight ? spliced : whole.toString({ lineWidth: 0 });
}

function parse(text: string): Document.Parsed {
  return parseDocument(text, { uniqueKeys: false, logLevel: "silent", merge: true });
}

function isSameMeaning(left: Document.Parsed, right: Document.Parsed): boolean {
  return left.errors.length === 0 && isDeepStrictEqual(left.toJS(), right.toJS());
}

/** What has to be written where: the value itself, or the missing maps around it as well. */
interface Target {
  readonly path: ConfigPath;
  readonly value: unknown;
  /** What is there now, or what it is to be added to. */
  readonly present: Node | undefined;
  readonly parent: YAMLMap | YAMLSeq | undefined;
}

function findTarget(document: Document.Parsed, path: ConfigPath, value: unknown): Target | undefined {
  let here: unknown = document.contents;
  for (const [depth, part] of path.entries()) {
    if (!isMap(here) && !isSeq(here)) return undefined;
    if (isSeq(here) && typeof part !== "number") return undefined;
    const next: unknown = isSeq(here) ? here.items[Number(part)] : here.get(part, true);
    const isLast = depth === path.length - 1;
    if (isLast || next === undefined || isEmpty(next)) {
      if (isSeq(here) && Number(part) > here.items.length) return undefined;
      return {
        path: path.slice(0, depth + 1),
        value: nest(path.slice(depth + 1), value),
        present: next === undefined || next === null ? undefined : (next as Node), // an item or a value of a parsed collection
        parent: here,
      };
    }
    here = next;
  }
  return undefined;
}

/** `{ a: { b: value } }` for the path a, b. */
function nest(path: ConfigPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, part) => (typeof part === "number" ? [inner] : { [part]: inner }), value);
}

function isEmpty(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

/** The text with the value put in its place; undefined where there is no simple place. */
function splice(text: string, document: Document.Parsed, { path, value, present, parent }: Target): string | undefined {
  if (parent === undefined) return undefined;
  const inFlow = isInFlow(document, path);
  if (present !== undefined) return replace(text, present, value, inFlow);
  const key = path.at(-1) ?? "";
  const entry = typeof key === "number" ? flow(value, true) : `${flow(key, true)}: ${flow(value, true)}`;
  if (parent.flow === true) return appendInFlow(text, parent, entry);
  const lines = stringify(typeof key === "number" ? [value] : { [key]: value }, { lineWidth: 0 });
  return appendLines(text, parent, lines);
}

function isInFlow(document: Document.Parsed, path: ConfigPath): boolean {
  return path.some((_, length) => {
    const around: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    return (isMap(around) || isSeq(around)) && around.flow === true;
  });
}

function replace(text: string, present: Node, value: unknown, inFlow: boolean): string | undefined {
  const [start, end] = present.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  const space = /[\s[{]/.test(text[start - 1] ?? " ") ? "" : " ";
  const lineEnd = text.slice(start, end).endsWith("\n") ? "\n" : "";
  return `${text.slice(0, start)}${space}${flow(value, inFlow)}${lineEnd}${text.slice(end)}`;
}

function appendInFlow(text: string, parent: YAMLMap | YAMLSeq, entry: string): string | undefined {
  const [start, end] = parent.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  const inside = text.slice(start + 1, end - 1);
  const written = inside.trimEnd();
  if (written.trim() === "") return `${text.slice(0, start + 1)} ${entry} ${text.slice(end - 1)}`;
  const comma = written.endsWith(",") ? "" : ",";
  return `${text.slice(0, start + 1)}${written}${comma} ${entry}${inside.slice(written.length)}${text.slice(end - 1)}`;
}

/** Adds lines behind the last entry, indented like the first. */
function appendLines(text: string, parent: YAMLMap | YAMLSeq, lines: string): string | undefined {
  const [start] = parent.range ?? [];
  const last: unknown = parent.items.at(-1);
  const end = endOf(last);
  if (start === undefined || end === undefined) return undefined;
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
  const added = lines
    .trimEnd()
    .split("\n")
    .map((line) => (line === "" ? line : indent + line))
    .join(lineEnd);
  const next = text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1;
  if (next === 0) return `${text}${lineEnd}${added}${lineEnd}`;
  return `${text.slice(0, next)}${added}${lineEnd}${text.slice(next)}`;
}

/** Where the value of a list's or map's entry ends; of a key without a value, where the key does. */
function endOf(entry: unknown): number | undefined {
  if (typeof entry === "object" && entry !== null && "key" in entry) {
    const { key, value } = entry as { readonly key: Node | null; readonly value?: Node | null };
    return value?.range?.[1] ?? key?.range?.[1];
  }
  return (entry as Node | null | undefined)?.range?.[1];
}

/** A value on one line. */
function flow(value: unknown, inFlow: boolean): string {
  if (Array.isArray(value)) return `[${value.map((entry) => flow(entry, true)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, entry]) => `${flow(key, true)}: ${flow(entry, true)}`);
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  if (typeof value === "string" && value.includes("\n")) return JSON.stringify(value);
  if (!inFlow) return stringify(value, { lineWidth: 0 }).trimEnd();
  const [, inside = ""] = /^\[\s*([\s\S]*?)\s*\]\s*$/.exec(stringify([value], { lineWidth: 0, collectionStyle: "flow" })) ?? [];
  return inside;
}

/** Words of the command line as YAML reads them; the words themselves where that is not possible. */
export function parseYamlValue(text: string): unknown {
  const document = parse(text);
  return document.errors.length > 0 ? text : document.toJS();
}
