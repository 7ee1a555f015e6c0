import { type ErrorCode, GatewayError } from "@trunkline/plugin-sdk";

/** What an error of the server or of the socket to it means. `hint` may name {user} and {database}. */
interface Meaning {
  readonly code: ErrorCode;
  readonly hint?: string;
  /** The connection is gone with it, or never came about. */
  readonly lost?: boolean;
}

const UNREACHABLE: Meaning = { code: "STORE_UNREACHABLE", lost: true };
const TLS: Meaning = { code: "STORE_TLS", lost: true };
const LOGIN: Meaning = {
  code: "STORE_REFUSED",
  hint: "Check user and password in store.url (a % in a password is written %25), and that pg_hba.conf lets this user in from here.",
};

// Classes and codes of PostgreSQL, postgresql.org/docs/18/errcodes-appendix.html. The first that fits counts.
const SERVER: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ["53100", { code: "STORE_FULL" }],
  ["53300", { ...UNREACHABLE, hint: "The gateway needs five connections. Raise max_connections, or the limit of its user." }],
  ["53", UNREACHABLE],
  [
    "08P01",
    { ...UNREACHABLE, hint: "Something between the gateway and PostgreSQL does not speak its protocol. Connect to PostgreSQL directly." },
  ],
  ["08", UNREACHABLE],
  ["28", LOGIN],
  ["3D", { code: "STORE_REFUSED", hint: "Create it (create database {database} encoding 'UTF8'), or correct the name in store.url." }],
  [
    "25006",
    { code: "STORE_REFUSED", hint: "The server only reads: a standby, or default_transaction_read_only is on. Name the one that writes." },
  ],
  ["25P03", UNREACHABLE],
  [
    "42501",
    {
      code: "STORE_REFUSED",
      hint: "Run as an administrator: grant create on database {database} to {user}. A schema that is there must belong to {user}.",
    },
  ],
  // The search path names a schema that is there and that this user may not use.
  [
    "3F",
    { code: "STORE_REFUSED", hint: "The schema trunkline belongs to another user: run grant usage, create on schema trunkline to {user}" },
  ],
  ["57P", UNREACHABLE],
  ["58", UNREACHABLE],
  ["XX001", { code: "STORE_CORRUPT", hint: "Restore a backup of the PostgreSQL database; its server's log has the details." }],
  ["XX002", { code: "STORE_CORRUPT", hint: "Run reindex database {database}, or restore a backup of it." }],
];

// Of the socket (errno of the system), and of TLS (nodejs.org/api/tls.html, X509 certificate error codes).
const SOCKET: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  ["ECONN", UNREACHABLE],
  ["ENOTFOUND", { ...UNREACHABLE, hint: "Check the host name in store.url, and that this machine can look it up." }],
  ["EAI_AGAIN", UNREACHABLE],
  ["ETIMEDOUT", UNREACHABLE],
  ["EHOSTUNREACH", UNREACHABLE],
  ["ENETUNREACH", UNREACHABLE],
  ["EPIPE", UNREACHABLE],
  ["ENOENT", UNREACHABLE],
  ["EACCES", UNREACHABLE],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", TLS],
  ["SELF_SIGNED_CERT_IN_CHAIN", TLS],
  ["UNABLE_TO_", TLS],
  ["CERT_", TLS],
  ["ERR_TLS", TLS],
  ["ERR_SSL", TLS],
  ["EPROTO", TLS],
];

// The driver's own sentences, which have no code.
const TEXTS: readonly (readonly [text: RegExp, meaning: Meaning])[] = [
  [/does not support SSL/i, { ...TLS, hint: "Turn on ssl in postgresql.conf, or write sslmode=disable where the network is trusted." }],
  [/SSL|TLS/, TLS],
  [/password must be a string|no password was provided/i, LOGIN],
  [/terminated|timeout|not queryable|client was closed/i, UNREACHABLE],
];

/** An error of the PostgreSQL driver, as what it means to the person who runs the gateway. */
export function toPostgresError(error: unknown, at: { name: string; user?: string | undefined; database?: string }): GatewayError {
  if (error instanceof GatewayError) return error;
  const meaning = meaningOf(error) ?? { code: "STORE_FAILED" };
  const { user = "the user", database = "the database" } = at;
  return new GatewayError(meaning.code, {
    detail: { path: at.name, reason: reasonOf(error) },
    cause: error,
    retryable: meaning.lost === true || meaning.code === "STORE_FULL",
    ...(meaning.hint === undefined ? {} : { hint: meaning.hint.replaceAll("{user}", user).replaceAll("{database}", database) }),
  });
}

/** Whether an error of the driver took its connection with it. */
export function isConnectionLost(error: unknown): boolean {
  return meaningOf(error instanceof GatewayError ? error.cause : error)?.lost === true;
}

function meaningOf(error: unknown): Meaning | undefined {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly unknown[] };
  // A name with several addresses fails with one error for each.
  if (Array.isArray(errors) && errors.length > 0) return meaningOf(errors[0]);
  const raw = typeof code === "string" ? code : "";
  const known = [...SERVER, ...SOCKET].find(([prefix]) => raw.startsWith(prefix));
  if (known) return known[1];
  return error instanceof Error && raw === "" ? TEXTS.find(([text]) => text.test(error.message))?.[1] : undefined;
}

/** The server's or the system's own words: they name user, database and host, never the password. */
function reasonOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const text = first instanceof Error ? first.message : String(first);
  return text.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 200);
}
