import { createRedactor } from "@trunkline/plugin-sdk";
import { detailsOf } from "./details.ts";
import { shortenMeta } from "./home-path.ts";
import { displayRowOf, TOOL_DISPLAY, type ToolDisplayRow } from "./table.ts";

/** A tool call as people see it. */
export interface ToolDisplay {
  readonly name: string;
  readonly emoji: string;
  /** The tool's name for people: `Web Search`. */
  readonly title: string;
  /** What stands before the colon; the title unless the table says something else. */
  readonly label: string;
  /** The action in words: `thread reply`. */
  readonly verb?: string;
  /** What it is done to: set flags, then the main value, on one line. */
  readonly detail?: string;
}

export interface ToolCallShown {
  readonly name?: string | null | undefined;
  readonly args?: unknown;
  /** Words for the detail when the arguments have none. */
  readonly meta?: string | undefined;
}

/** Longest detail, in graphemes: a summary is one line. */
const DETAIL_GRAPHEMES = 120;
const SEPARATOR = " · ";
/** Blanks what looks like a token. Configured secrets are blanked where a text leaves; see `redactDetail`. */
const redactor = createRedactor();
/** Values behind names that hold secrets, as they stand on command lines, in addresses and in headers. */
const SECRET_PAIR =
  /((?:api[-_]?key|token|secret|passw(?:or)?d|pwd|authorization|cookie|access[-_]?key)["']?(?:\s*[=:]\s*|\s+)["']?(?:(?:basic|bearer|digest|token)\s+)?)(?!\[redacted\])[^\s"'&;,]{4,}/gi;
/** Name and password of a command: `curl -u bob:word`. */
const SECRET_OPTION = /(\s(?:-u|--user)[\s=]+["']?[^\s:"']{1,100}:)[^\s"']+/g;
const SECRET_USER = /(\/\/[^\s/:@]{1,200}:)[^\s/@]+(?=@)/g;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How a tool call is shown, by config/tool-display.json; a tool without a row gets a puzzle piece and a title made from its name. */
export function resolveToolDisplay({ name: given, args, meta }: ToolCallShown): ToolDisplay {
  const name = given?.trim() || "tool";
  const row = displayRowOf(name);
  const title = row?.title ?? titleOf(name);
  const action = actionOf(args);
  const actionRow = action !== undefined && row?.actions && Object.hasOwn(row.actions, action) ? row.actions[action] : undefined;
  const verb = action === undefined ? undefined : oneLine(actionRow?.label ?? action.replace(/[_-]+/g, " "));
  const keys = actionRow?.detailKeys ?? row?.detailKeys ?? TOOL_DISPLAY.fallback.detailKeys;
  const detail = detailText(args, keys, row) ?? meta;
  return {
    name,
    emoji: row?.emoji ?? TOOL_DISPLAY.fallback.emoji,
    title,
    label: row?.label ?? title,
    ...(verb === undefined ? {} : { verb }),
    ...(detail === undefined || detail.trim() === "" ? {} : { detail: oneLine(redactDetail(shortenMeta(detail))) }),
  };
}

/** One line about a tool call: `📖 Read: ~/n.md:10-15`. Plain text. */
export function formatToolSummary({ emoji, label, verb, detail }: ToolDisplay): string {
  const told = [verb, detail].filter((part) => part !== undefined).join(SEPARATOR);
  return told === "" ? `${emoji} ${label}` : `${emoji} ${label}: ${oneLine(told)}`;
}

/** A text without what looks like a secret: known token shapes, values behind names such as `--token`, passwords in addresses. */
export function redactDetail(text: string): string {
  return redactor
    .text(text)
    .replace(SECRET_PAIR, "$1[redacted]")
    .replace(SECRET_USER, "$1[redacted]")
    .replace(SECRET_OPTION, "$1[redacted]");
}

/** On one line, and not longer than a summary may be. */
export function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, " ").trim();
  if (line.length <= DETAIL_GRAPHEMES) return line;
  // A grapheme may be as long as its writer likes, so the window bounds it too.
  const clusters = [...segmenter.segment(line.slice(0, DETAIL_GRAPHEMES * 16))];
  if (clusters.length <= DETAIL_GRAPHEMES) return line.length <= DETAIL_GRAPHEMES * 16 ? line : `${line.slice(0, DETAIL_GRAPHEMES)}…`;
  return `${clusters
    .slice(0, DETAIL_GRAPHEMES - 1)
    .map(({ segment }) => segment)
    .join("")}…`;
}

function detailText(args: unknown, keys: readonly string[], row: ToolDisplayRow | undefined): string | undefined {
  const { flags, values } = detailsOf(args, keys);
  const [first, ...more] = values;
  const lines = linesOf(args, row);
  const main = first === undefined ? [] : more.length === 0 ? [first.value + lines] : values.map(({ label, value }) => `${label} ${value}`);
  const parts = [...flags, ...main];
  return parts.length === 0 ? undefined : parts.join(SEPARATOR);
}

/** `:10-15` for five lines from the tenth; nothing unless both are known. */
function linesOf(args: unknown, row: ToolDisplayRow | undefined): string {
  if (row?.lines === undefined || typeof args !== "object" || args === null) return "";
  const [from, count] = row.lines.map((key) => (args as Readonly<Record<string, unknown>>)[key]);
  return typeof from === "number" && typeof count === "number" ? `:${from}-${from + count}` : "";
}

function actionOf(args: unknown): string | undefined {
  const action = typeof args === "object" && args !== null ? (args as { readonly action?: unknown }).action : undefined;
  return typeof action === "string" && action.trim() !== "" ? action.trim() : undefined;
}

/** `custom_thing` is "Custom Thing". */
function titleOf(name: string): string {
  const words = name.replace(/[_-]+/g, " ").trim().split(/\s+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ");
}
