import { defineCommand } from "@trunkline/plugin-sdk";

export const statusCommand = defineCommand({
  name: "status",
  aliases: ["info"],
  help: "The agent, the model and the state of this conversation.",
  access: "authorised",
  async run(_args, turn) {
    const facts = await turn.status();
    return { text: facts.map(({ name, value }) => `- **${name}:** ${value}`).join("\n") };
  },
});
