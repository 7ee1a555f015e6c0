import { defineCommand } from "@trunkline/plugin-sdk";

export const newCommand = defineCommand({
  name: "new",
  aliases: ["reset"],
  help: "Start a fresh conversation; text after it is the first message.",
  usage: "[text]",
  access: "authorised",
  async run(args, turn) {
    await turn.resetSession("asked by the person");
    return args === "" ? { text: "Fresh start. What is on your mind?" } : { prompt: args };
  },
});
