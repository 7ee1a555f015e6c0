import { defineCommand } from "@trunkline/plugin-sdk";

export const whoamiCommand = defineCommand({
  name: "whoami",
  aliases: ["id"],
  help: "Your ids, as allow lists want them.",
  access: "authorised",
  async run(_args, turn) {
    const { conversation, sender } = turn;
    return {
      text: [
        `- **channel:** ${conversation.channel}, account ${conversation.account}`,
        `- **conversation:** ${conversation.kind} \`${conversation.id}\`${conversation.threadId === undefined ? "" : `, thread \`${conversation.threadId}\``}`,
        `- **you:** \`"${sender.id}"\` in allowFrom, \`"${conversation.channel}:${conversation.account}:${sender.id}"\` in owners`,
      ].join("\n"),
    };
  },
});
