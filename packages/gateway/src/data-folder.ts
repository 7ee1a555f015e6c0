import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { GatewayError, type GatewayConfig } from "@trunkline/plugin-sdk";

/** Where a gateway keeps everything that it must not lose, and its secrets. */
export interface DataFolder {
  /** Absolute path. */
  readonly path: string;
  /** `sqlite:/abs/path` or a PostgreSQL address. */
  readonly storeUrl: string;
}

/** Longest socket path, in bytes. Source: sun_path of sockaddr_un is 108 bytes on Linux and 104 on macOS. */
const SOCKET_PATH_BYTES = 100;

/** The data folder: `--data`, else the folder of a configured SQLite file, else `data` in the working directory. */
export function dataFolderOf(config: Pick<GatewayConfig, "store">, data: string | undefined): DataFolder {
  const url = config.store.url;
  const file = url?.startsWith("sqlite:") ? url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "") : undefined;
  if (data !== undefined) {
    const path = resolve(data);
    return { path, storeUrl: url !== undefined && file === undefined ? url : `sqlite:${join(path, "trunkline.db")}` };
  }
  if (file !== undefined) return { path: dirname(resolve(file)), storeUrl: `sqlite:${resolve(file)}` };
  const path = resolve("data");
  return { path, storeUrl: url ?? `sqlite:${join(path, "trunkline.db")}` };
}

/** Makes the folder and those below it, for the owner alone. STORE_UNAVAILABLE when it cannot be made. */
export function makeDataFolder(path: string): void {
  try {
    for (const folder of [path, join(path, "run"), join(path, "secrets")]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const full = (error as NodeJS.ErrnoException).code === "ENOSPC";
    throw new GatewayError(full ? "STORE_FULL" : "STORE_UNAVAILABLE", { detail: { path }, cause: error });
  }
}

/** The socket between the command line and a running gateway: in the data folder, or in a private folder for temporary files when that path is too long for a socket. */
export function controlSocketPath(dataFolder: string): string {
  const path = join(dataFolder, "run", "cli.sock");
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES) return path;
  const name = createHash("sha256").update(dataFolder).digest("hex").slice(0, 16);
  return join(tmpdir(), `trunkline-${process.getuid?.() ?? 0}-${name}`, "cli.sock");
}
