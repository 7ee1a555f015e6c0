import { basename } from "node:path";
import { renderParts } from "@trunkline/core";
import { GatewayError, type RenderedPart } from "@trunkline/plugin-sdk";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { readMarkdown } from "./markdown-file.ts";
import { textChannel } from "./text-channels.ts";

export interface RenderCommandOptions {
  readonly channel: string;
  readonly json?: boolean;
  readonly html?: boolean;
}

/** Shows how Markdown files look on a channel, part by part: as text, as JSON, or each drawn on a page. `-` is standard input. */
export async function renderCommand(files: readonly string[], options: RenderCommandOptions, io: CliIo): Promise<ExitCode> {
  if (options.json === true && options.html === true) {
    throw new GatewayError("GATEWAY_USAGE", { detail: { reason: "--json and --html are two forms; ask for one" } });
  }
  const channel = await textChannel(options.channel);
  for (const file of files) {
    const parts = renderParts(readMarkdown(file), channel.profile);
    if (options.html === true) {
      const { previewPage } = await import("../preview/page.ts");
      io.out(previewPage(file === "-" ? channel.label : basename(file), [{ ...channel, parts }]).trimEnd());
    } else
      io.out(options.json === true ? JSON.stringify(parts.map(toJson)) : parts.map((part) => part.text).join("\n--- next message ---\n"));
  }
  return EXIT.ok;
}

/** The stable shape of one part; `plain` is for the gateway's own use. */
function toJson({ text, entities, blocks, length }: RenderedPart): object {
  return { text, ...(entities ? { entities } : {}), ...(blocks ? { blocks } : {}), length };
}
