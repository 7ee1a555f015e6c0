import { defineCommand } from "@trunkline/plugin-sdk";

export const helpCommand = defineCommand({
  name: "help",
  aliases: ["commands"],
  help: "What you can do here.",
  access: "authorised",
  async run(_args, turn) {
    const lines = turn.commands().map((command) => `- \`/${command.name}${command.usage ? ` ${command.usage}` : ""}\` ${command.help}`);
    return { text: [`You are talking with **${turn.agent.name}**. Just write. Commands:`, "", ...lines].join("\n") };
  },
});
