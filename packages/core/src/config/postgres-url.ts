/** The parts of a PostgreSQL address, decoded. */
export interface PostgresUrlParts {
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** "" where only a socket folder is given by `?host=`. */
  readonly host: string;
  readonly port: number | undefined;
  readonly database: string;
  readonly params: URLSearchParams;
}

// The password reaches to the last @, so that a variable with / # ? or : in it works as it is. The URL class would cut it there, and
// take its beginning for a host or a port.
const SHAPE =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>.*))?@)?(?<host>\[[\da-f:.]+\]|[^:/?#@[\]]*)(?::(?<port>\d{1,5}))?\/(?<database>[^/?#@]*)(?:\?(?<params>[^#@]*))?$/is;

const SSL_MODES: readonly string[] = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];
const PARAMETERS: readonly string[] = ["sslmode", "sslrootcert", "sslcert", "sslkey", "host"];

/** Takes a PostgreSQL address apart; undefined when it has not the shape of one. */
export function splitPostgresUrl(url: string): PostgresUrlParts | undefined {
  const groups = SHAPE.exec(url)?.groups;
  if (groups === undefined) return undefined;
  const { user, password, host = "", port, database = "", params = "" } = groups;
  return {
    user: user === undefined || user === "" ? undefined : decoded(user),
    password: password === undefined ? undefined : decoded(password),
    host,
    port: port === undefined ? undefined : Number(port),
    database: decoded(database),
    params: new URLSearchParams(params),
  };
}

/** What is wrong with a PostgreSQL address, as the end of a sentence and without any of its parts that may be secret. */
export function postgresUrlProblem(url: string): string | undefined {
  const parts = splitPostgresUrl(url);
  if (parts === undefined) return "is not of the form postgres://user:password@host:port/database";
  if (parts.database === "") return "names no database: it ends with /database";
  if (parts.host === "" && !parts.params.has("host")) return "names no host";
  const unknown = [...parts.params.keys()].find((key) => !PARAMETERS.includes(key));
  if (unknown !== undefined) return `has the unknown parameter ${unknown}; there are ${PARAMETERS.join(", ")}`;
  const mode = parts.params.get("sslmode");
  if (mode !== null && !SSL_MODES.includes(mode)) return `has the unknown sslmode ${mode}; there are ${SSL_MODES.join(", ")}`;
  return undefined;
}

/** The text without percent-encoding; as it is where it has none that is valid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
