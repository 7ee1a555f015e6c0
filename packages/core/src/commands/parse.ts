import type { CommandDefinition } from "@trunkline/plugin-sdk";

/** A command message, taken apart. */
export interface CommandCall {
  readonly command: CommandDefinition;
  /** What stands behind the name, trimmed at its ends, case kept. */
  readonly args: string;
}

const COMMAND = /^[/!]([a-z0-9_]{1,32})(?::|(?=\s)|$)\s*/i;

/**
 * The command that a text begins with, when it is one of ours: `/cmd args`, `/cmd: args`, `/cmd@OurName args` (its channel
 * took our name away; a name that is left is another bot's, and the text is not for us). An unknown name is ordinary text. Pure.
 */
export function parseCommand(text: string, commands: readonly CommandDefinition[]): CommandCall | undefined {
  const trimmed = text.trim();
  const match = COMMAND.exec(trimmed);
  const name = match?.[1]?.toLowerCase();
  if (!match || name === undefined) return undefined;
  const command = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name));
  return command && { command, args: trimmed.slice(match[0].length).trim() };
}
