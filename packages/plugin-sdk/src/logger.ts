/** Fields of a log line. Never message text at info or above, never a secret. */
export interface LogFields {
  /** Inbox id of the message that the line is about. */
  readonly trace?: string | undefined;
  readonly channel?: string | undefined;
  readonly account?: string | undefined;
  readonly conv?: string | undefined;
  readonly turn?: string | undefined;
  readonly part?: string | undefined;
  readonly [field: string]: unknown;
}

/** A structured logger; the gateway's writes JSON lines through pino with secrets redacted. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

/** Writes nothing. For tests, and for code that runs before logging is set up. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
