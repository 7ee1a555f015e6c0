import { defineCommand } from "@trunkline/plugin-sdk";

/** /activation. Stored in the group's session; the group gate (access/gate.ts) asks for it before it asks the configuration. */
export const activationCommand = defineCommand({
  name: "activation",
  help: "In a group: answer only when I am meant, or always.",
  usage: "mention | always",
  access: "authorised",
  async run(args, turn) {
    if (turn.conversation.kind === "direct") return { text: "This is for groups. Here I always answer." };
    const choice = args.trim().toLowerCase();
    if (choice === "mention" || choice === "always") {
      turn.changeSettings({ activation: choice });
      return { text: choice === "always" ? "I now answer every message here." : "I now answer only when somebody means me." };
    }
    const now = turn.settings.activation ?? "as the configuration says";
    return { text: `Now: ${now}. Choose \`/activation mention\` or \`/activation always\`.` };
  },
});
