import {
  type ConfigPath,
  type ConfigProblemCode,
  formatPath,
  hasIdKeys,
  isShowableWord,
  unquotedId,
  type WrittenScalar,
} from "@trunkline/core";
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, Scalar, type YAMLMap } from "yaml";
import { type Environment, substitute } from "./environment.ts";
import { syntaxFindings } from "./yaml-errors.ts";
import { createYamlRoom, type YamlRoom } from "./yaml-room.ts";

/** Something wrong at an offset of the text. */
export interface TreeFinding {
  readonly code: ConfigProblemCode;
  readonly path: ConfigPath;
  readonly offset: number;
  readonly message: string;
  readonly hint: string;
}

/** Where something stands: offsets of the key that leads to it and of itself. */
export interface Place {
  readonly key: number;
  /** Of a scalar's first character; for maps, lists and empty values, where their key or dash stands. */
  readonly value: number;
}

/** One YAML file as plain values, with the place of each of them. */
export interface YamlTree {
  /** Undefined when the YAML is broken so that nothing can be said about what it means. */
  readonly value: unknown;
  readonly findings: readonly TreeFinding[];
  /** By dotted path. */
  readonly places: ReadonlyMap<string, Place>;
  readonly written: ReadonlyMap<string, WrittenScalar>;
  /** Dotted paths that are reported already and have no value. */
  readonly broken: ReadonlySet<string>;
  /** Line and column of an offset, from 1. */
  position(offset: number): { readonly line: number; readonly column: number };
}

/** Nesting that no hand-written file reaches and every bomb exceeds. */
const MAX_DEPTH = 50;
/** Mistakes that are noted in one file; a person mends the first ones and looks again. */
const MAX_FINDINGS = 200;
/** Values that aliases may repeat in all. */
const MAX_REPEATED = 2000;
const TOO_MUCH = "aliases repeat too much of the file";
const TOO_MUCH_HINT = "Write out what is meant, or use fewer aliases.";

/**
 * Parses one YAML document, with environment variables filled in. Never throws. The parser works for a second on a megabyte of small
 * values, and a running gateway waits for it: what takes more of `room` than there is is refused before it is parsed.
 */
export function parseYaml(text: string, env: Environment, room: YamlRoom = createYamlRoom()): YamlTree {
  const lines = new LineCounter();
  const tree = new TreeReader(text, env, lines);
  const stray = room.take(text) ?? findStray(text);
  if (stray !== undefined) {
    lines.addNewLine(0);
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines.addNewLine(at + 1);
    return tree.failed(stray.offset, stray.message, stray.hint);
  }
  try {
    return tree.read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The parser is recursive: brackets nested by the thousand end its stack.
    return tree.failed(0, "the file is nested too deeply", "A configuration has a handful of levels; look for repeated brackets.");
  }
}

/** Characters that cannot be seen and that no editor writes on purpose. */
function findStray(text: string): { offset: number; message: string; hint: string } | undefined {
  const control = text.search(/(?![\t\n\r])\p{Cc}/u);
  if (control !== -1)
    return { offset: control, message: "there is a control character here", hint: "Remove it; it is not visible in most editors." };
  const blank = /^[\u00a0\u200b\ufeff]/m.exec(text);
  return blank
    ? {
        offset: blank.index,
        message: "an invisible character stands where a space is meant",
        hint: "Delete the start of this line and type the spaces again.",
      }
    : undefined;
}

class TreeReader {
  private readonly text: string;
  private readonly env: Environment;
  private readonly lines: LineCounter;
  private readonly findings: TreeFinding[] = [];
  private readonly places = new Map<string, Place>();
  private readonly written = new Map<string, WrittenScalar>();
  private readonly broken = new Set<string>();
  private readonly anchors = new Map<string, Node>();
  private readonly open = new Set<Node>();
  private readonly brokenOff = new Set<string>();
  private repeated = 0;
  private insideAlias = 0;

  constructor(text: string, env: Environment, lines: LineCounter) {
    this.text = text;
    this.env = env;
    this.lines = lines;
  }

  read(): YamlTree {
    const document = parseDocument(this.text, {
      lineCounter: this.lines,
      keepSourceTokens: true,
      prettyErrors: false,
      logLevel: "error",
      uniqueKeys: false,
      version: "1.2",
    });
    const syntax = syntaxFindings(document, this.text);
    for (const { offset, message, hint } of syntax) this.report([], offset, message, hint, "CONFIG_SYNTAX");
    if (syntax.some((finding) => !finding.local)) return this.result(undefined);
    if (document.directives?.yaml.explicit && document.directives.yaml.version !== "1.2") {
      return this.failed(0, "an older YAML version is asked for, which reads yes, no and 0123 differently", "Remove the %YAML line.");
    }
    if (isEmpty(document.contents)) return this.failed(0, "the file is empty", "A minimal configuration is: version: 1", "CONFIG_INVALID");
    return this.result(this.node(document.contents, [], { key: 0, value: 0 }, 0));
  }

  failed(offset: number, message: string, hint: string, code: ConfigProblemCode = "CONFIG_SYNTAX"): YamlTree {
    this.report([], offset, message, hint, code);
    return this.result(undefined);
  }

  private result(value: unknown): YamlTree {
    const { findings, places, written, broken, lines } = this;
    const position = (offset: number): { line: number; column: number } => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(line, 1), column: Math.max(col, 1) };
    };
    return { value, findings, places, written, broken, position };
  }

  /** The value of a node, its place noted. Undefined when it has none that can be used; that is reported then. */
  private node(node: unknown, path: ConfigPath, place: Place, depth: number): unknown {
    const at = isScalar(node) && !isEmpty(node) ? { ...place, value: node.range?.[0] ?? place.value } : place;
    this.places.set(formatPath(path), at);
    if (this.insideAlias > 0) this.repeated += 1;
    if (depth > MAX_DEPTH) return this.breakOff(path, at.value, "this is nested too deeply", "Split it, or remove what is not needed.");
    if (this.repeated > MAX_REPEATED) return this.breakOff(path, at.value, TOO_MUCH, TOO_MUCH_HINT);
    if (isAlias(node)) return this.alias(node.source, node.range?.[0] ?? at.value, path, place, depth);
    if (isMap(node) || isSeq(node) || isScalar(node)) if (node.anchor !== undefined) this.anchors.set(node.anchor, node);
    if (isScalar(node)) return this.scalar(node, path, at.value);
    if (!isMap(node) && !isSeq(node)) return this.empty(path, at.key);
    this.open.add(node);
    const value = isMap(node)
      ? this.map(node, path, depth)
      : node.items.map((item, index) => this.node(item, [...path, index], itemPlace(item, at), depth + 1));
    this.open.delete(node);
    return value;
  }

  private alias(name: string, offset: number, path: ConfigPath, place: Place, depth: number): unknown {
    // The parser has reported an alias without a name.
    if (name === "") return this.breakOff(path);
    const target = this.anchors.get(name);
    const shown = isShowableWord(name) ? name : "...";
    if (target === undefined)
      return this.breakOff(
        path,
        offset,
        `*${shown} stands for an alias in YAML, and there is no &${shown} before it`,
        `Write "*${shown}" in quotes if the text is meant.`,
      );
    if (this.open.has(target))
      return this.breakOff(path, offset, `*${shown} repeats the part of the file that it stands in`, "Write out what is meant.");
    this.insideAlias += 1;
    const value = this.node(target, path, place, depth + 1);
    this.insideAlias -= 1;
    return value;
  }

  private scalar(node: Scalar, path: ConfigPath, offset: number): unknown {
    if (isEmpty(node)) return this.empty(path, node.range?.[0] ?? offset);
    const source = node.source ?? String(node.value);
    const quoted = node.type !== Scalar.PLAIN;
    if (typeof node.value !== "string") {
      this.written.set(formatPath(path), { source, quoted, variables: [] });
      return node.value;
    }
    const { text, variables, ok } = this.fillIn(node.value, path, offset);
    this.written.set(formatPath(path), { source, quoted, variables });
    return ok ? text : this.breakOff(path);
  }

  /** Nothing is written; perhaps because a `#` made a comment of it. */
  private empty(path: ConfigPath, offset: number): null {
    const [, comment] = /^\s*(?:-\s*)?#([^\s#:]+)/.exec(this.text.slice(offset, offset + 500)) ?? [];
    this.written.set(formatPath(path), { source: "", quoted: false, variables: [], ...(comment === undefined ? {} : { comment }) });
    return null;
  }

  private map(node: YAMLMap, path: ConfigPath, depth: number): Record<string, unknown> {
    const entries = new Map<string, { value: unknown; merged: boolean }>();
    this.pairs(node, path, entries, false, depth);
    return Object.fromEntries([...entries].flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value]])));
  }

  /** Keys written in the map itself win over merged ones; of merged ones the first. */
  private pairs(
    node: YAMLMap,
    path: ConfigPath,
    into: Map<string, { value: unknown; merged: boolean }>,
    merged: boolean,
    depth: number,
  ): void {
    for (const pair of node.items) {
      if (isMergeKey(pair)) {
        this.merge(pair.value, path, into, depth);
        continue;
      }
      const key = this.key(pair, path);
      if (key === undefined) continue;
      const at = [...path, key.name];
      const earlier = into.get(key.name);
      if (earlier !== undefined && merged) continue;
      if (earlier !== undefined && !earlier.merged) {
        const first = this.lines.linePos(this.places.get(formatPath(at))?.key ?? 0).line;
        this.report(at, key.offset, "this key is there twice", `It stands on line ${first} already; keep one of them.`, "CONFIG_SYNTAX");
        continue;
      }
      into.set(key.name, { value: this.node(pair.value, at, { key: key.offset, value: key.offset }, depth + 1), merged });
    }
  }

  /** `<<: *base` or `<<: [*a, *b]`. */
  private merge(source: unknown, path: ConfigPath, into: Map<string, { value: unknown; merged: boolean }>, depth: number): void {
    const parts: readonly unknown[] = isSeq(source) ? source.items : [source];
    for (const part of parts) {
      const target = isAlias(part) ? this.anchors.get(part.source) : part;
      const offset = (isAlias(part) || isMap(part) || isScalar(part) ? part.range?.[0] : undefined) ?? 0;
      if (!isMap(target) || this.open.has(target)) {
        this.report(
          path,
          offset,
          "<< merges maps, and this is not one",
          "Write <<: *name with a map that has &name before it.",
          "CONFIG_SYNTAX",
        );
        continue;
      }
      this.repeated += target.items.length;
      if (this.repeated > MAX_REPEATED) {
        this.breakOff(path, offset, TOO_MUCH, TOO_MUCH_HINT);
        return;
      }
      this.insideAlias += 1;
      this.open.add(target);
      this.pairs(target, path, into, true, depth + 1);
      this.open.delete(target);
      this.insideAlias -= 1;
    }
  }

  private key(pair: Pair, path: ConfigPath): { name: string; offset: number } | undefined {
    const { key } = pair;
    const offset = (isScalar(key) || isMap(key) || isSeq(key) || isAlias(key) ? key.range?.[0] : undefined) ?? 0;
    if (!isScalar(key) || isEmpty(key)) {
      this.report(
        path,
        offset,
        "a key has to be a word",
        "Write key: value; put the key in quotes if it has brackets, * or { } in it.",
        "CONFIG_SYNTAX",
      );
      return undefined;
    }
    if (typeof key.value !== "string") {
      const name = key.source ?? String(key.value);
      if (hasIdKeys(path)) {
        const { message, hint = "" } = unquotedId(name, path);
        this.report([...path, name], offset, message, hint, "CONFIG_INVALID");
      }
      return { name, offset };
    }
    const { text, ok } = this.fillIn(key.value, [...path, key.value], offset);
    return ok ? { name: text, offset } : undefined;
  }

  private fillIn(value: string, path: ConfigPath, offset: number): { text: string; variables: readonly string[]; ok: boolean } {
    const { text, variables, problems } = substitute(value, this.env);
    for (const { code, reference, message, hint } of problems) {
      const at = this.text.indexOf(reference, offset);
      this.report(path, at === -1 ? offset : at, message, hint, code);
    }
    return { text, variables, ok: problems.length === 0 };
  }

  private breakOff(path: ConfigPath, offset?: number, message = "", hint = ""): undefined {
    this.broken.add(formatPath(path));
    // A bomb trips over the same limit at every step; one line is enough.
    const key = message === TOO_MUCH ? message : `${offset} ${message}`;
    const told = this.brokenOff.has(key);
    this.brokenOff.add(key);
    if (offset !== undefined && !told) this.report(path, offset, message, hint, "CONFIG_SYNTAX");
    return undefined;
  }

  private report(path: ConfigPath, offset: number, message: string, hint: string, code: ConfigProblemCode): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push({ code, path, offset, message, hint });
  }
}

function isEmpty(node: unknown): boolean {
  return (
    node === null || node === undefined || (isScalar(node) && node.value === null && (node.source === undefined || node.source === ""))
  );
}

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN;
}

function itemPlace(item: unknown, list: Place): Place {
  const start = (isMap(item) || isSeq(item) || isScalar(item) || isAlias(item) ? item.range?.[0] : undefined) ?? list.value;
  return { key: start, value: start };
}
