import type { CommandDefinition } from "@trunkline/plugin-sdk";

/** A command message, taken apart. */
export interface CommandCall {
  readonly command: CommandDefinition;
  /** What stands behind the name, trimmed at its ends, case kept. */
  readonly args: string;
}

const COMMAND = /^[/!]([a-z0-9_]{1,32})(?:@\S+)?(?::|(?=\s)|$)\s*/i;

/**
 * The command that a text begins with, when it is one of ours: `/cmd args`, `/cmd: args`, `/cmd@OurName args` (a mention of
 * another bot was filtered by the channel). An unknown name is ordinary text. Pure.
 */
export function parseCommand(text: string, commands: readonly CommandDefinition[]): CommandCall | undefined {
  const trimmed = text.trim();
  const match = COMMAND.exec(trimmed);
  const name = match?.[1]?.toLowerCase();
  if (!match || name === undefined) return undefined;
  const command = commands.find((candidate) => candidate.name === name || candidate.aliases?.includes(name));
  return command && { command, args: trimmed.slice(match[0].length).trim() };
}
