import type { Schema } from "../schema.ts";
import { defineTool, type ToolContext, type ToolDefinition } from "../tool.ts";

/** The argument of a text tool. */
export interface TextArgs {
  readonly text: string;
}

const schema: Schema<TextArgs> = {
  "~standard": {
    version: 1,
    vendor: "trunkline-testing",
    validate(value) {
      const { text = "" } = (value ?? {}) as Partial<Record<keyof TextArgs, unknown>>;
      return typeof text === "string" ? { value: { text } } : { issues: [{ message: "text is not a text", path: ["text"] }] };
    },
    jsonSchema: { input: () => ({ type: "object", properties: { text: { type: "string" } } }) },
  },
};

/** A tool with one argument, `text` (empty when it is left out), for tests of agents and gateways. */
export function createTextTool(
  name: string,
  run: (args: TextArgs, context: ToolContext) => Promise<string>,
  { idempotent = true }: { readonly idempotent?: boolean } = {},
): ToolDefinition<TextArgs> {
  return defineTool({ name, description: `The tool ${name} of a test.`, parameters: schema, idempotent, run });
}
