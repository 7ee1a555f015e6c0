import { basename, join } from "node:path";
import { describeError, type Logger, type OutboundMedia } from "@trunkline/plugin-sdk";
import type { MediaFolder } from "./media-folder.ts";
import { mediaTypeOf } from "./media-types.ts";
import type { WebFiles } from "./web-files.ts";
import { openInside } from "./workspace-file.ts";

/** Turns what an agent wrote after MEDIA: into files that may be sent. */
export interface OutboundMediaResolver {
  /** The agent's workspace, made when it is missing. */
  workspaceOf(agent: string): string;
  /** The file copied in, or undefined when the target is not allowed, missing, or too large. An abort ends a fetch. Never rejects. */
  resolve(target: string, agent: string, signal: AbortSignal): Promise<OutboundMedia | undefined>;
}

export interface OutboundMediaDeps {
  /** Absolute path of the data folder. */
  readonly dataFolder: string;
  readonly folder: MediaFolder;
  readonly webFiles: WebFiles;
  readonly logger: Logger;
}

/**
 * Creates the resolver. A path counts only when it lies, links followed, inside the agent's workspace; an address on the web is fetched
 * where it is on the public internet.
 */
export function createOutboundMedia({ dataFolder, folder, webFiles, logger }: OutboundMediaDeps): OutboundMediaResolver {
  const workspaceOf = (agent: string): string => join(dataFolder, "agents", agent, "workspace");
  const fromWeb = (address: string, signal: AbortSignal): Promise<OutboundMedia> =>
    webFiles.open(address, signal, async ({ data, fileName }) => {
      const stored = await folder.save(data, fileName);
      return { ...mediaTypeOf(fileName), path: stored.path, fileName };
    });
  const fromWorkspace = async (target: string, agent: string): Promise<OutboundMedia> => {
    const { file, path } = await openInside(workspaceOf(agent), target);
    const fileName = basename(path);
    try {
      const stored = await folder.save(file.createReadStream({ autoClose: false }), fileName);
      return { ...mediaTypeOf(fileName), path: stored.path, fileName };
    } finally {
      await file.close();
    }
  };
  return {
    workspaceOf,
    async resolve(target, agent, signal) {
      try {
        if (/^https?:/i.test(target)) return await fromWeb(target, signal);
        if (/^[a-z][a-z0-9+.-]*:/i.test(target)) throw new RangeError("only files of the workspace and of the web can be sent");
        return await fromWorkspace(target, agent);
      } catch (error) {
        logger.warn({ agent, target: shownTarget(target), error: describeError(error) }, "a file that the agent wanted to send is refused");
        return undefined;
      }
    },
  };
}

/** A query may hold a key. */
function shownTarget(target: string): string {
  return target
    .replace(/[?#][^]*$/, "?…")
    .replace(/\/\/[^/@]*@/, "//…@")
    .slice(0, 200);
}
