import { createRedactor, type Redactor, toGatewayError } from "@trunkline/plugin-sdk";

/** Exit codes of every command: done, failed, called wrongly. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where a command writes: results to `out`, everything else to `err`. */
export interface CliIo {
  out(text: string): void;
  err(text: string): void;
  readonly redactor: Redactor;
}

/** Standard output and error, secrets blanked in the latter. */
export function processIo(): CliIo {
  // A reader that went away (`| head`) must not take the gateway with it: what nobody reads is dropped.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const redactor = createRedactor();
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${redactor.text(text)}\n`),
    redactor,
  };
}

/** Says an error as a person would want it: code, sentence, next step. Never a stack trace. */
export function printError(io: CliIo, error: unknown): void {
  const { code, message, hint } = toGatewayError(error);
  io.err(`error ${code}: ${message}`);
  io.err(`  ${hint}`);
}
