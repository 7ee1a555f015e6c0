import data from "../../../../../config/tool-display.json" with { type: "json" };

/** How one action of a tool is shown. */
export interface ActionDisplay {
  /** The action in words; its name when absent. */
  readonly label?: string;
  /** Arguments that say what it is done to, by path (`job.name`); those of the tool when absent. */
  readonly detailKeys?: readonly string[];
}

/** How a tool is shown: one row of config/tool-display.json. */
export interface ToolDisplayRow extends ActionDisplay {
  readonly emoji?: string;
  /** The tool's name for people. */
  readonly title?: string;
  /** What it does is written like on a command line, and shown as code where there is Markdown. */
  readonly command?: boolean;
  /** Names of the arguments with the first line and the number of lines, shown behind a path as `:10-15`. */
  readonly lines?: readonly [from: string, count: string];
  readonly actions?: Readonly<Record<string, ActionDisplay>>;
}

interface DisplayTable {
  readonly fallback: { readonly emoji: string; readonly detailKeys: readonly string[] };
  readonly tools: Readonly<Record<string, ToolDisplayRow>>;
}

/** What is known about tools and how they are shown. A new row is an edit of the JSON; a test checks its shape. */
export const TOOL_DISPLAY: DisplayTable = data as unknown as DisplayTable;

/** The row of a tool by its name, in any case; undefined for a tool that the table does not know. */
export function displayRowOf(name: string): ToolDisplayRow | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(TOOL_DISPLAY.tools, key) ? TOOL_DISPLAY.tools[key] : undefined;
}
