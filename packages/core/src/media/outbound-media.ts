import { realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join, resolve, sep } from "node:path";
import { describeError, type Logger, type OutboundMedia } from "@trunkline/plugin-sdk";
import { MEDIA_MAX_BYTES, type MediaFolder } from "./media-folder.ts";
import { mediaTypeOf } from "./media-types.ts";

/** Turns what an agent wrote after MEDIA: into files that may be sent. */
export interface OutboundMediaResolver {
  /** The agent's workspace, made when it is missing. */
  workspaceOf(agent: string): string;
  /** The file copied in, or undefined when the target is not allowed, missing, or too large. Never rejects. */
  resolve(target: string, agent: string): Promise<OutboundMedia | undefined>;
}

/**
 * Creates the resolver. A path counts only when it lies, links followed, inside the agent's workspace; addresses on the network are
 * refused until they can be fetched through a guard.
 */
export function createOutboundMedia(dataFolder: string, folder: MediaFolder, logger: Logger): OutboundMediaResolver {
  const workspaceOf = (agent: string): string => join(dataFolder, "agents", agent, "workspace");
  return {
    workspaceOf,
    async resolve(target, agent) {
      try {
        if (/^[a-z][a-z0-9+.-]*:/i.test(target)) throw new RangeError("only files of the workspace can be sent");
        const workspace = await realpath(workspaceOf(agent));
        const path = await realpath(isAbsolute(target) ? target : resolve(workspace, target));
        if (!path.startsWith(workspace + sep)) throw new RangeError("the file is outside the workspace");
        const info = await stat(path);
        if (!info.isFile() || info.size > MEDIA_MAX_BYTES) throw new RangeError("not a file of at most 20 MB");
        const stored = await folder.copy(path);
        return { ...mediaTypeOf(basename(path)), path: stored.path, fileName: basename(path) };
      } catch (error) {
        logger.warn(
          { agent, target: target.slice(0, 200), error: describeError(error) },
          "a file that the agent wanted to send is refused",
        );
        return undefined;
      }
    },
  };
}
