import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "@trunkline/plugin-sdk";
import type { AccessRole } from "./access-role.ts";

/** What the data folder keeps for the HTTP server. Everything here is secret: it goes to the redactor and nowhere else. */
export interface AccessSecrets {
  /** Token of each role: 32 random bytes as base64url, unless the operator wrote one of his own. */
  readonly tokens: Readonly<Record<AccessRole, string>>;
  /** Key that signs cookies. */
  readonly cookieKey: string;
  /** A token was made by this call: the first start on this data folder, or its file had been deleted. */
  readonly fresh: boolean;
}

/** Shortest token that is accepted from a file; what is shorter can be guessed. */
const SHORTEST = 20;

/**
 * Reads the secrets of `<dataFolder>/secrets/`, and makes those that are missing. The folder is 0700, each file 0600; looser modes
 * of existing files are tightened. Deleting a token's file and starting again gives a new token and signs everybody of that role out.
 *
 * @throws GatewayError CONFIG_SECRET_UNREADABLE for a file that is unusable, STORE_UNAVAILABLE or STORE_FULL when one cannot be made.
 */
export async function loadAccessSecrets(dataFolder: string): Promise<AccessSecrets> {
  const folder = join(dataFolder, "secrets");
  await makeFolder(folder);
  const chat = await loadSecret(folder, "chat-token");
  const admin = await loadSecret(folder, "admin-token");
  const cookieKey = await loadSecret(folder, "cookie-key");
  return { tokens: { chat: chat.value, admin: admin.value }, cookieKey: cookieKey.value, fresh: chat.made || admin.made };
}

/**
 * Replaces the tokens of these roles, in the folder first; the old ones and every cookie that they opened are worth nothing from then on.
 *
 * @throws GatewayError STORE_UNAVAILABLE or STORE_FULL; then nothing that is given back has changed, and the old secrets stay in use.
 */
export async function rotateTokens(dataFolder: string, secrets: AccessSecrets, roles: readonly AccessRole[]): Promise<AccessSecrets> {
  const folder = join(dataFolder, "secrets");
  const tokens = { ...secrets.tokens };
  for (const role of roles) {
    tokens[role] = randomBytes(32).toString("base64url");
    try {
      await writeWhole(join(folder, `${role}-token`), tokens[role]);
    } catch (error) {
      throw folderError(folder, error);
    }
  }
  return { ...secrets, tokens };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (error) {
    throw folderError(folder, error);
  }
}

async function loadSecret(folder: string, name: string): Promise<{ value: string; made: boolean }> {
  const file = join(folder, name);
  const found = await readSecret(file);
  if (found !== undefined) return { value: found, made: false };
  const made = randomBytes(32).toString("base64url");
  try {
    await writeWhole(file, made);
  } catch (error) {
    throw folderError(folder, error);
  }
  return { value: made, made: true };
}

async function readSecret(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
    await chmod(file, 0o600);
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw new GatewayError("CONFIG_SECRET_UNREADABLE", {
      detail: { file },
      hint: "Check the owner and permissions of the file.",
      cause: error,
    });
  }
  const value = text.trim();
  if (value.length >= SHORTEST) return value;
  throw new GatewayError("CONFIG_SECRET_UNREADABLE", {
    detail: { file },
    hint: `It must hold at least ${SHORTEST} characters. Delete the file to have a new one made at the next start.`,
  });
}

/** Whole or not at all: a crash in the middle leaves no half-written token behind. One gateway runs on a data folder, so nobody races. */
async function writeWhole(file: string, value: string): Promise<void> {
  const draft = `${file}.tmp`;
  try {
    await rm(draft, { force: true });
    await writeFile(draft, `${value}\n`, { mode: 0o600, flag: "wx", flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

function folderError(path: string, cause: unknown): GatewayError {
  return new GatewayError(errno(cause) === "ENOSPC" ? "STORE_FULL" : "STORE_UNAVAILABLE", { detail: { path }, cause });
}

function errno(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
