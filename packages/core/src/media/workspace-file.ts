import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";
import { MEDIA_MAX_BYTES } from "./media-folder.ts";

/** Not through a link that took the file's place meanwhile, and not waiting for whoever writes to a pipe. Windows has neither. */
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file that lies, links followed, inside a folder; what was opened is looked at again, since tools may move things while we look.
 * Rejects with a RangeError that says why not, or with the system's error.
 */
export async function openInside(folder: string, target: string): Promise<{ readonly file: FileHandle; readonly path: string }> {
  const root = await realpath(folder);
  const path = await realpath(isAbsolute(target) ? target : resolve(root, target));
  requireInside(root, path);
  const file = await open(path, READ_ONLY);
  try {
    const opened = await file.stat();
    if (!opened.isFile() || opened.size > MEDIA_MAX_BYTES) throw new RangeError("not a file of at most 20 MB");
    const again = await realpath(path);
    requireInside(root, again);
    const there = await stat(again);
    if (there.ino !== opened.ino || there.dev !== opened.dev) throw new RangeError("the file was changed while it was opened");
    return { file, path };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function requireInside(root: string, path: string): void {
  if (!path.startsWith(root + sep)) throw new RangeError("the file is outside the workspace");
}
