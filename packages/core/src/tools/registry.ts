import type { ToolDefinition } from "@trunkline/plugin-sdk";
import { messageTool } from "./message.ts";
import { nowTool } from "./now.ts";

/** The tools that are built in. A new one is a file and a line here. */
// Each tool validates its own arguments; the list forgets their types.
// oxlint-disable-next-line typescript/no-explicit-any
export const BUILT_IN_TOOLS: readonly ToolDefinition<any>[] = [nowTool, messageTool];
