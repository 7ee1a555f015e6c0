import { defineCommand } from "@trunkline/plugin-sdk";

/**
 * /stop. What it stops is stopped before this runs: the abort happens when the message is accepted, out of turn (inbound/decide.ts,
 * lanes). This is its answer, and its entry in /help.
 */
export const stopCommand = defineCommand({
  name: "stop",
  help: "Stop the running answer and drop what waits.",
  access: "authorised",
  async run(_args, turn) {
    return { text: turn.stopped > 0 ? "Stopped." : "Nothing was running." };
  },
});
