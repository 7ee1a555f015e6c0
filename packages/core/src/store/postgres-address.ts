import { readFileSync } from "node:fs";
import { GatewayError } from "@trunkline/plugin-sdk";
import type pg from "pg";
import { postgresUrlProblem, splitPostgresUrl } from "../config/postgres-url.ts";

/** Where a PostgreSQL database is, and how to log in. */
export interface PostgresAddress {
  /** Host and database: what may stand in a log. */
  readonly name: string;
  /** Undefined where the driver takes the user of this process. */
  readonly user: string | undefined;
  readonly database: string;
  /** What the driver needs; holds the password. */
  readonly login: Pick<pg.ClientConfig, "user" | "password" | "host" | "port" | "database" | "ssl">;
}

/** Host and database of a URL: what may stand in a log. A URL that cannot be read gives nothing of itself away. */
export function postgresName(url: string): string {
  const parts = splitPostgresUrl(url);
  if (parts === undefined) return "of store.url";
  const port = parts.port === undefined ? "" : `:${parts.port}`;
  return `postgres://${parts.host}${port}/${parts.database}`;
}

/**
 * Reads `postgres://user:password@host:port/database?sslmode=...`, and the certificate files that it names.
 * Throws STORE_UNAVAILABLE for a URL that cannot be read, STORE_TLS for a certificate file that cannot be.
 */
export function readPostgresAddress(url: string): PostgresAddress {
  const problem = postgresUrlProblem(url);
  const parts = splitPostgresUrl(url);
  const name = postgresName(url);
  if (parts === undefined || problem !== undefined) {
    throw new GatewayError("STORE_UNAVAILABLE", { detail: { path: "of store.url" }, hint: `store.url ${problem ?? "cannot be read"}.` });
  }
  const { user, password, host, port, database, params } = parts;
  const ssl = sslOf(params, name);
  return {
    name,
    user,
    database,
    login: {
      database,
      host: params.get("host") ?? (host.replace(/^\[(.+)\]$/, "$1") || "localhost"),
      ...(user === undefined ? {} : { user }),
      ...(password === undefined ? {} : { password }),
      ...(port === undefined ? {} : { port }),
      ...(ssl === undefined ? {} : { ssl }),
    },
  };
}

/** Encrypted means checked: only `no-verify` takes a certificate that proves nothing. Undefined: not encrypted. */
function sslOf(params: URLSearchParams, name: string): pg.ClientConfig["ssl"] {
  const mode = params.get("sslmode");
  const files = { ca: params.get("sslrootcert"), cert: params.get("sslcert"), key: params.get("sslkey") };
  if (mode === "disable" || (mode === null && Object.values(files).every((file) => file === null))) return undefined;
  const read = Object.entries(files).flatMap(([key, file]) => (file === null ? [] : [[key, certificate(file, name)] as const]));
  return { ...Object.fromEntries(read), rejectUnauthorized: mode !== "no-verify" };
}

function certificate(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = `the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
    const hint = "Check sslrootcert, sslcert and sslkey in store.url, and that the gateway's user may read these files.";
    throw new GatewayError("STORE_TLS", { detail: { path: name, reason }, hint, cause: error });
  }
}
