import type { LogFields, Logger, Redactor } from "@trunkline/plugin-sdk";
import { pino, type DestinationStream, type Logger as Pino } from "pino";

/** Longest value of one field, in characters; a log line has a bound. */
const FIELD_CHARS = 2000;

/**
 * The gateway's logger: JSON lines through pino, every line with known secrets blanked. Writes to `destination`, standard error by
 * default, so that standard output stays for people and pipes.
 */
export function createLogger(level: string, redactor: Redactor, destination: DestinationStream = process.stderr): Logger {
  const redacting: DestinationStream = { write: (line) => destination.write(redactor.text(line)) };
  return wrap(pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" }, redacting));
}

function wrap(logger: Pino): Logger {
  return {
    debug: (fields, message) => logger.debug(bounded(fields), message),
    info: (fields, message) => logger.info(bounded(fields), message),
    warn: (fields, message) => logger.warn(bounded(fields), message),
    error: (fields, message) => logger.error(bounded(fields), message),
    child: (fields) => wrap(logger.child(bounded(fields))),
  };
}

function bounded(fields: LogFields): LogFields {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    result[name] = typeof value === "string" && value.length > FIELD_CHARS ? `${value.slice(0, FIELD_CHARS)}…` : value;
  }
  return result;
}
