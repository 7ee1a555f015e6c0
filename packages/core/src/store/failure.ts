import { type ErrorCode, GatewayError } from "@trunkline/plugin-sdk";

// SQLite's primary result codes, sqlite.org/rescode.html.
const SQLITE_CODES: Readonly<Record<number, ErrorCode>> = {
  3: "STORE_UNAVAILABLE", // PERM
  5: "STORE_UNAVAILABLE", // BUSY
  6: "STORE_UNAVAILABLE", // LOCKED
  8: "STORE_UNAVAILABLE", // READONLY
  10: "STORE_UNAVAILABLE", // IOERR
  11: "STORE_CORRUPT", // CORRUPT
  13: "STORE_FULL", // FULL
  14: "STORE_UNAVAILABLE", // CANTOPEN
  26: "STORE_CORRUPT", // NOTADB
};

// The driver for Node 20 and 22 gives no code for an error of a prepared statement, only SQLite's own fixed text (sqlite3ErrStr).
const SQLITE_TEXTS: readonly (readonly [text: string, code: number])[] = [
  ["database or disk is full", 13],
  ["attempt to write a readonly database", 8],
  ["unable to open database file", 14],
  ["database disk image is malformed", 11],
  ["file is not a database", 26],
  ["disk I/O error", 10],
  ["database is locked", 5],
  ["database table is locked", 6],
  ["access permission denied", 3],
];

const SYSTEM_CODES: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: "STORE_FULL",
  EDQUOT: "STORE_FULL",
  EACCES: "STORE_UNAVAILABLE",
  EPERM: "STORE_UNAVAILABLE",
  EROFS: "STORE_UNAVAILABLE",
  ENOENT: "STORE_UNAVAILABLE",
  ENOTDIR: "STORE_UNAVAILABLE",
  EISDIR: "STORE_UNAVAILABLE",
  EEXIST: "STORE_UNAVAILABLE",
  ELOOP: "STORE_UNAVAILABLE",
  ENAMETOOLONG: "STORE_UNAVAILABLE",
};

/** Primary result code of an error of SQLite, undefined when it is none. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  return SQLITE_TEXTS.find(([text]) => error.message.includes(text))?.[1];
}

/** An error of the SQLite driver or the file system, as what it means to the person who runs the gateway. */
export function toSqliteError(error: unknown, path: string): GatewayError {
  if (error instanceof GatewayError) return error;
  const system = SYSTEM_CODES[String((error as { code?: unknown }).code)];
  const code = system ?? SQLITE_CODES[sqliteCode(error) ?? -1] ?? "STORE_FAILED";
  return new GatewayError(code, {
    detail: { path },
    cause: error,
    retryable: code === "STORE_FULL" || code === "STORE_UNAVAILABLE",
  });
}
