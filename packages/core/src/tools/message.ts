import { defineTool, GatewayError } from "@trunkline/plugin-sdk";
import { z } from "zod";
import { MESSAGE_TOOL } from "./messaging.ts";

const id = z.union([z.string(), z.int()]).transform(String);

/** Sends a message now, to the conversation of the turn or another one, in any channel. */
export const messageTool = defineTool({
  name: MESSAGE_TOOL,
  description:
    "Send a message right now, apart from your answer. Without `to` it goes to this conversation. Do not repeat in your answer what you sent.",
  // Strict: a target under another name must not become this conversation.
  parameters: z.strictObject({
    action: z.enum(["send", "thread-reply"]),
    content: z.string().optional().describe("Markdown."),
    message: z.string().optional().describe("The same as content."),
    to: id.optional().describe("Target in another place: a chat id or person's id of the channel."),
    provider: z.string().optional().describe("Another channel, by its name."),
    channel: z.string().optional().describe("The same as provider."),
    account: z.string().optional(),
    threadId: id.optional().describe("A thread or topic."),
    replyTo: id.optional().describe("Id of a message to quote."),
    mediaUrls: z.array(z.string()).max(10).optional().describe("Files of your workspace."),
  }),
  // What it sends is stored together with its result, so it never runs again once it did anything.
  idempotent: true,
  async run(args, { send }) {
    if (!send) throw new GatewayError("TOOL_FAILED", { detail: { tool: MESSAGE_TOOL } });
    const channel = (args.provider ?? args.channel)?.trim().toLowerCase();
    const text = args.content ?? args.message;
    const sent = await send({
      ...(channel === undefined ? {} : { channel }),
      ...(args.account === undefined ? {} : { account: args.account }),
      ...(args.to === undefined ? {} : { to: args.to }),
      ...(args.threadId === undefined ? {} : { threadId: args.threadId }),
      ...(args.replyTo === undefined ? {} : { replyToId: args.replyTo }),
      ...(text === undefined ? {} : { text }),
      ...(args.mediaUrls === undefined ? {} : { mediaUrls: args.mediaUrls }),
    });
    return sent ? "Sent." : '{"ok":false,"error":"Nothing was sent: there was nothing to show."}';
  },
});
