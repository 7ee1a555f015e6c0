import type { CommandDefinition } from "@trunkline/plugin-sdk";
import { activationCommand } from "./activation.ts";
import { helpCommand } from "./help.ts";
import { newCommand } from "./new.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { whoamiCommand } from "./whoami.ts";

/** The commands that are built in. A new one is a file and a line here. */
export const BUILT_IN_COMMANDS: readonly CommandDefinition[] = [
  helpCommand,
  statusCommand,
  newCommand,
  stopCommand,
  whoamiCommand,
  activationCommand,
];
