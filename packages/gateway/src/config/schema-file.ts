import { readFileSync, writeFileSync } from "node:fs";
import { editorJsonSchema } from "@trunkline/core";
import type { ChannelPlugin } from "@trunkline/plugin-sdk";

/** The text of config/trunkline.schema.json for these channels: what editors complete and check with. */
export function schemaFileText(channels: readonly ChannelPlugin[]): string {
  return `${JSON.stringify(editorJsonSchema(channels), null, 2)}\n`;
}

/** Writes the schema file when its content differs. True when it did. */
export function writeSchemaFile(path: string, channels: readonly ChannelPlugin[]): boolean {
  const text = schemaFileText(channels);
  if (currentText(path) === text) return false;
  writeFileSync(path, text);
  return true;
}

function currentText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
