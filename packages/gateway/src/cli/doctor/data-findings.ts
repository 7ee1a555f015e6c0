import { chmod, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { acquireInstanceLock, databasePath, inspectStore, requireIntact, requireLocalDisk } from "@trunkline/core";
import { GatewayError, isGatewayError, systemClock, toGatewayError } from "@trunkline/plugin-sdk";
import { controlSocketPath, type DataFolder } from "../../data-folder.ts";
import { type Finding, findingOf } from "./finding.ts";

/** What is wrong in a data folder; nothing when there is none yet. `running`: a gateway answers on it. */
export async function dataFindings(data: DataFolder, running: boolean): Promise<readonly Finding[]> {
  const own = (await exists(data.path)) ? [...(await tooOpen(data.path)), ...(running ? [] : await deadGateway(data.path))] : [];
  return [...own, ...(await diskFindings(data)), ...(await storeFindings(data, running))];
}

/** Folders are 0700 and files 0600: whatever others may do with them is too much. */
async function tooOpen(folder: string): Promise<readonly Finding[]> {
  if (process.platform === "win32") return [];
  const secrets = join(folder, "secrets");
  const names = await readdir(folder).catch(() => []);
  const paths = [
    folder,
    ...["secrets", "run"].map((name) => join(folder, name)),
    ...(await readdir(secrets).catch(() => [])).map((name) => join(secrets, name)),
    ...names.filter((name) => /\.db(?:-wal|-shm)?$/.test(name)).map((name) => join(folder, name)),
  ];
  const findings: Finding[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || (found.mode & 0o077) === 0) continue;
    const mode = found.isDirectory() ? 0o700 : 0o600;
    const error = new GatewayError("STORE_OPEN_TO_OTHERS", { detail: { path, mode: mode.toString(8) } });
    findings.push(findingOf(error, { repair: () => chmod(path, mode) }));
  }
  return findings;
}

/** A socket that nobody serves, or a gateway that holds the folder and does not answer. */
async function deadGateway(folder: string): Promise<readonly Finding[]> {
  const socket = controlSocketPath(folder);
  if (await exists(join(folder, "lock.db"))) {
    try {
      await (await acquireInstanceLock(folder)).release();
    } catch (error) {
      const hint = "A gateway runs on it and does not answer `trunkline status`. Look at its log; end it and start it again.";
      if (isGatewayError(error, "STORE_LOCKED")) return [findingOf(new GatewayError(error.code, { detail: error.detail, hint }))];
    }
  }
  if (!(await exists(socket))) return [];
  const error = new GatewayError("GATEWAY_SOCKET_STALE", { detail: { path: socket } });
  return [findingOf(error, { repair: () => rm(socket, { force: true }) })];
}

async function diskFindings({ path, storeUrl }: DataFolder): Promise<readonly Finding[]> {
  if (!storeUrl.startsWith("sqlite:") || !(await exists(path))) return [];
  return requireLocalDisk(path).then(() => [], asFindings);
}

async function storeFindings({ storeUrl }: DataFolder, running: boolean): Promise<readonly Finding[]> {
  const path = databasePath(storeUrl);
  if (path !== undefined && !(await exists(path))) return [];
  try {
    await inspectStore({ url: storeUrl, clock: systemClock, running });
    // Beside a running gateway the reading would get in its way; it tells of damage itself.
    if (path !== undefined && !running) await requireIntact(path);
    return [];
  } catch (error) {
    // The next start brings an older database up to date by itself.
    if (isGatewayError(error, "STORE_UNAVAILABLE") && Number(error.detail["found"]) < Number(error.detail["known"])) return [];
    return asFindings(error);
  }
}

function asFindings(error: unknown): readonly Finding[] {
  return [findingOf(toGatewayError(error))];
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
