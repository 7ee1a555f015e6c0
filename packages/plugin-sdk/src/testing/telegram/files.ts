import { badRequest } from "./refusal.ts";

/** Largest file that a bot may download. Unit: bytes. Source: core.telegram.org/bots/api#getfile. */
export const DOWNLOAD_LIMIT = 20 * 1024 * 1024;
const KEPT_BYTES = 256 * 1024 * 1024;

/** What a file is for Telegram; the folder of its path follows from it. */
export type FileKind = "photo" | "document" | "voice" | "audio" | "video";

const FOLDERS: Readonly<Record<FileKind, string>> = {
  photo: "photos",
  document: "documents",
  voice: "voice",
  audio: "music",
  video: "videos",
};
const EXTENSIONS: Readonly<Record<FileKind, string>> = { photo: "jpg", document: "bin", voice: "oga", audio: "mp3", video: "mp4" };

/** A file that Telegram keeps. */
export interface StoredFile {
  readonly fileId: string;
  readonly uniqueId: string;
  readonly kind: FileKind;
  readonly path: string;
  readonly name: string | undefined;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
}

/** The files of the emulator, by id and by path. Beyond 256 MiB the oldest are forgotten. */
export class Files {
  readonly #files = new Map<string, StoredFile>();
  readonly #paths = new Map<string, StoredFile>();
  #kept = 0;
  #next = 0;

  /** Keeps a file under a new id. */
  add(kind: FileKind, bytes: Uint8Array, name?: string, mimeType?: string): StoredFile {
    const number = this.#next++;
    const extension = /\.([A-Za-z0-9]{1,8})$/.exec(name ?? "")?.[1] ?? EXTENSIONS[kind];
    const file: StoredFile = {
      fileId: `emulated-${kind}-${number}`,
      uniqueId: `unique-${number}`,
      kind,
      path: `${FOLDERS[kind]}/file_${number}.${extension}`,
      name,
      mimeType,
      bytes,
    };
    this.#files.set(file.fileId, file);
    this.#paths.set(file.path, file);
    this.#kept += bytes.byteLength;
    for (const oldest of this.#files.values()) {
      if (this.#kept <= KEPT_BYTES || oldest === file) break;
      this.#files.delete(oldest.fileId);
      this.#paths.delete(oldest.path);
      this.#kept -= oldest.bytes.byteLength;
    }
    return file;
  }

  /** Finds a file that may be sent again as `kind`. @throws Refusal 400 for an unknown id or another kind. */
  reuse(fileId: string, kind: FileKind): StoredFile {
    const file = this.#files.get(fileId);
    if (file === undefined) throw badRequest("Wrong remote file identifier specified: can't unserialize it");
    if (file.kind !== kind) throw badRequest(`Can't use file of type ${title(file.kind)} as ${title(kind)}`);
    return file;
  }

  /** Finds a file by id. */
  find(fileId: string): StoredFile | undefined {
    return this.#files.get(fileId);
  }

  /** Finds a file by the path that getFile gave. */
  findByPath(path: string): StoredFile | undefined {
    return this.#paths.get(path);
  }
}

function title(kind: FileKind): string {
  return kind === "voice" ? "VoiceNote" : kind.charAt(0).toUpperCase() + kind.slice(1);
}
