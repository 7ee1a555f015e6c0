import { plainProfile, renderParts } from "@trunkline/core";
import { GatewayError, type RenderedPart, type RenderProfile } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { registerChannels } from "../channels.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import { readMarkdown } from "./markdown-file.ts";

/** Shows how Markdown files look on a channel, part by part. `-` is standard input. */
export async function renderCommand(
  files: readonly string[],
  options: { readonly channel: string; readonly json?: boolean },
  io: CliIo,
): Promise<ExitCode> {
  const profile = await profileOf(options.channel);
  for (const file of files) {
    const parts = renderParts(readMarkdown(file), profile);
    io.out(options.json ? JSON.stringify(parts.map(toJson)) : parts.map((part) => part.text).join("\n--- next message ---\n"));
  }
  return EXIT.ok;
}

async function profileOf(channel: string): Promise<RenderProfile> {
  const channels = await registerChannels(createContainer());
  const known = [...channels.map(({ id }) => id), "plain"];
  if (channel === "plain") return plainProfile;
  const plugin = channels.find(({ id }) => id === channel);
  if (!plugin) throw new GatewayError("CHANNEL_UNKNOWN", { detail: { channel }, hint: `Use one of: ${known.join(", ")}.` });
  return plugin.render({});
}

/** The stable shape of one part; `plain` is for the gateway's own use. */
function toJson({ text, entities, blocks, length }: RenderedPart): object {
  return { text, ...(entities ? { entities } : {}), ...(blocks ? { blocks } : {}), length };
}
