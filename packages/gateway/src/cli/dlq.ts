import { formatDeadLetter } from "@trunkline/core";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";
import { askOperator } from "./operator.ts";

export interface DlqOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** Prints what could not be delivered and waits for the operator, newest first. */
export async function dlqListCommand(options: DlqOptions, io: CliIo): Promise<ExitCode> {
  const list = await askOperator(options, io, "read", (api) => api.dlqList({}));
  if (!list) return EXIT.failed;
  const { total, letters } = list;
  if (options.json) io.out(JSON.stringify(list, null, 2));
  else if (total === 0) io.out("Nothing was put aside: every part was delivered or is on its way.");
  else
    io.out([...letters.map(formatDeadLetter), ...(total > letters.length ? [`and ${total - letters.length} older ones`] : [])].join("\n"));
  return EXIT.ok;
}

/** Prints one dead letter with its words. */
export async function dlqShowCommand(id: string, options: DlqOptions, io: CliIo): Promise<ExitCode> {
  const letter = await askOperator(options, io, "read", (api) => api.dlqShow({ id }));
  if (!letter) return EXIT.failed;
  const files = letter.files.map((file) => `file: ${file}`);
  const turn = letter.turn === null ? [] : [`  of turn ${letter.turn}; trunkline explain ${letter.id} tells the rest`];
  io.out(options.json ? JSON.stringify(letter, null, 2) : [formatDeadLetter(letter), ...turn, "", ...files, letter.text].join("\n"));
  return EXIT.ok;
}

/** Sends a dead letter again. */
export async function dlqRetryCommand(id: string, options: DlqOptions, io: CliIo): Promise<ExitCode> {
  const letter = await askOperator(options, io, "write", (api) => api.dlqRetry({ id }));
  if (!letter) return EXIT.failed;
  const told = `${letter.id} is in line again, before what still waits in its conversation. It goes out when its account is up.`;
  io.out(options.json ? JSON.stringify(letter, null, 2) : told);
  return EXIT.ok;
}

/** Takes a dead letter off the list. */
export async function dlqDropCommand(id: string, options: DlqOptions, io: CliIo): Promise<ExitCode> {
  const letter = await askOperator(options, io, "write", (api) => api.dlqDrop({ id }));
  if (!letter) return EXIT.failed;
  io.out(options.json ? JSON.stringify(letter, null, 2) : `${letter.id} is off the list and stays undelivered.`);
  return EXIT.ok;
}
