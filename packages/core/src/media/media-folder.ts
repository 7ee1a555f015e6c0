import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type ChannelHost, GatewayError } from "@trunkline/plugin-sdk";

/** Largest medium that is taken in or sent, in bytes. Source: Telegram's getFile serves at most 20 MB. */
export const MEDIA_MAX_BYTES = 20 * 1024 * 1024;

/** A file in the media folder, named by its content. */
export interface StoredMedia {
  /** Absolute path, `<data>/media/<sha256>`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
}

/** The folder of media, addressed by content: the same file twice is one file. */
export interface MediaFolder {
  /** Streams into the folder; refuses more than MEDIA_MAX_BYTES with DELIVERY_MEDIA_REFUSED and leaves nothing behind. */
  save(data: AsyncIterable<Uint8Array>, name: string): Promise<StoredMedia>;
  /** Opens a file by the name that its content gave it; undefined when it is not there. The bytes are read as they are asked for. */
  readonly open: ChannelHost["openMedia"];
  /**
   * Names of files that were last taken in or sent before a time, ms UTC; at most `limit`. Taking the same file in again makes it new.
   * Drafts that a crash left are among them, under their own names.
   */
  olderThan(time: number, limit: number): Promise<readonly string[]>;
  /** Deletes a file by its name; one that is gone is fine. */
  remove(name: string): Promise<void>;
}

/** The name of a file in the folder: 64 hexadecimal digits. Nothing else is ever looked up, so no path leads out of it. */
const MEDIA_ID = /^[0-9a-f]{64}$/;
/** A file that is not whole yet. */
const DRAFT = /^\.part-[0-9a-f-]{36}$/;

/** Creates the media folder below a data folder. */
export function createMediaFolder(dataFolder: string): MediaFolder {
  const folder = join(dataFolder, "media");
  const save = async (data: AsyncIterable<Uint8Array>, name: string): Promise<StoredMedia> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const draft = join(folder, `.part-${randomUUID()}`); // as DRAFT says
    const hash = createHash("sha256");
    let size = 0;
    try {
      const file = await open(draft, "wx", 0o600);
      try {
        for await (const chunk of data) {
          size += chunk.byteLength;
          if (size > MEDIA_MAX_BYTES) throw new GatewayError("DELIVERY_MEDIA_REFUSED", { detail: { file: name, limit: MEDIA_MAX_BYTES } });
          hash.update(chunk);
          await file.writeFile(chunk);
        }
      } finally {
        await file.close();
      }
      const path = join(folder, hash.digest("hex"));
      await rename(draft, path);
      return { path, size };
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  };
  return {
    save,
    async olderThan(time, limit) {
      const old: string[] = [];
      for (const name of await readdir(folder).catch(() => [])) {
        if (old.length >= limit) break;
        if (!MEDIA_ID.test(name) && !DRAFT.test(name)) continue;
        const info = await stat(join(folder, name)).catch(() => undefined);
        if (info?.isFile() && info.mtimeMs < time) old.push(name);
      }
      return old;
    },
    async remove(name) {
      if (MEDIA_ID.test(name) || DRAFT.test(name)) await rm(join(folder, name), { force: true });
    },
    async open(id) {
      if (!MEDIA_ID.test(id)) return undefined;
      const path = join(folder, id);
      const info = await stat(path).catch(() => undefined);
      if (!info?.isFile()) return undefined;
      // Opened when it is read, so that who asked and went away leaves no open file behind.
      return { id, size: info.size, data: { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() } };
    },
  };
}
