import { readFileSync } from "node:fs";
import { GatewayError } from "@trunkline/plugin-sdk";

/** The Markdown in a file; `-` is standard input. Throws GATEWAY_USAGE when it cannot be read. */
export function readMarkdown(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new GatewayError("GATEWAY_USAGE", { detail: { reason: `the file ${file} cannot be read` }, cause: error });
  }
}
