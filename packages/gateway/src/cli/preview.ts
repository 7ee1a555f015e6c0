import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { renderParts } from "@trunkline/core";
import { GatewayError } from "@trunkline/plugin-sdk";
import { PREVIEW_MARK, previewPage } from "../preview/page.ts";
import { SAMPLE } from "../preview/sample.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { readMarkdown } from "./markdown-file.ts";
import { textChannels } from "./text-channels.ts";

/** Writes one page that shows a Markdown file as every channel would. Without a file it shows a sample; `-` is standard input. */
export async function previewCommand(file: string | undefined, options: { readonly out?: string }, io: CliIo): Promise<ExitCode> {
  const markdown = file === undefined ? SAMPLE : readMarkdown(file);
  const named = file !== undefined && file !== "-";
  const out = options.out ?? (named ? `${file}.preview.html` : "trunkline.preview.html");
  const previews = (await textChannels()).map((channel) => ({ ...channel, parts: renderParts(markdown, channel.profile) }));
  writePage(out, previewPage(named ? basename(file) : "Preview", previews));
  io.out(resolve(out));
  return EXIT.ok;
}

/** Replaces an older preview as a whole, and nothing else. */
function writePage(out: string, page: string): void {
  if (existsSync(out) && !isPreview(out)) {
    const reason = `${out} is there already and is no preview`;
    throw new GatewayError("GATEWAY_USAGE", { detail: { reason }, hint: "Name another file with --out." });
  }
  const draft = `${out}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, page, { flag: "wx" });
    renameSync(draft, out);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new GatewayError("GATEWAY_USAGE", { detail: { reason: `the file ${out} cannot be written` }, cause: error });
  }
}

function isPreview(path: string): boolean {
  try {
    const file = openSync(path, "r");
    try {
      const head = Buffer.alloc(PREVIEW_MARK.length);
      readSync(file, head);
      return head.toString("latin1") === PREVIEW_MARK;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
