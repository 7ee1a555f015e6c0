import { z } from "zod";

const ids = (what: string) => z.array(z.string().min(1, "must not be empty")).describe(what);

const rate = (what: string) =>
  z
    .number()
    .gt(0, "must be more than 0; leave the key out for no limit")
    .max(1000)
    .describe(`Most sends and edits a second ${what}; 0.5 is one in two seconds.`)
    .exactOptional();

/** How text is fitted to channels; the same keys at every level. */
export const markdownSchema = z.strictObject({
  tables: z.enum(["off", "bullets", "code", "native"]).exactOptional().describe("How tables are shown. Default: what suits the channel."),
  chunkMode: z
    .enum(["length", "paragraph"])
    .exactOptional()
    .describe("Where a long text is cut. paragraph: never inside one that fits into a message. Default length."),
});
const replyToMode = z.enum(["off", "first", "all"]);

const historyLimit = z.int().min(0).max(500);

const groupSchema = z.strictObject({
  requireMention: z.boolean().exactOptional().describe("Answer only when the bot is mentioned or replied to. Default true."),
  allowFrom: ids('Who may write to the agent in this group; "*" for everybody. An empty list denies everybody.').exactOptional(),
  agent: z.string().min(1, "must not be empty").exactOptional().describe("Id of the agent that answers in this group."),
  markdown: markdownSchema.exactOptional().describe("How text is shown in this group."),
  replyTo: replyToMode.exactOptional().describe("Which parts of an answer quote the message, in place of replyToMode."),
  verbose: z.enum(["off", "on", "full"]).exactOptional().describe("A line in this group for each tool that runs. Default off."),
  historyLimit: historyLimit
    .exactOptional()
    .describe("Unanswered messages that the next answered one brings along, in place of the account's."),
});

/** Keys that the accounts of every channel have. The channel's own keys stand beside them and are checked by its schema. */
export const accountSchema = z.looseObject({
  enabled: z.boolean().default(true).describe("false keeps the account configured but disconnected."),
  dmPolicy: z
    .enum(["pairing", "allowlist", "open", "disabled"])
    .exactOptional()
    .describe('Who may write in direct messages. Default pairing, or open where the channel signs people in. open needs "*" in allowFrom.'),
  groupPolicy: z
    .enum(["allowlist", "open", "disabled"])
    .default("allowlist")
    .describe("In which groups the bot takes part. allowlist: those under groups."),
  allowFrom: ids("Sender ids that may write in direct messages, in quotes. An empty list denies everybody.").default([]),
  groups: z.record(z.string(), groupSchema).default({}).describe('Groups by id, in quotes; "*" for any.'),
  mentionPatterns: z
    .array(z.string().min(1, "must not be empty"))
    .exactOptional()
    .describe("Words by which the bot is called in groups. Default: the agent's name."),
  onAmbiguous: z
    .enum(["resend", "hold"])
    .default("resend")
    .describe("What to do with a part of an answer when nobody can tell whether it arrived: send it again, or hold it for the operator."),
  rates: z
    .strictObject({ perSecond: rate("over all chats"), perChatPerSecond: rate("in each chat") })
    .exactOptional()
    .describe("Limits of your own. Default: none; the gateway keeps to what the platform asks for."),
  markdown: markdownSchema.exactOptional().describe("How text is shown on this account."),
  responsePrefix: z.string().exactOptional().describe("Text before answers on this account, in place of messages.responsePrefix."),
  replyToMode: z
    .union(
      [
        replyToMode,
        z.strictObject({
          direct: replyToMode.exactOptional(),
          group: replyToMode.exactOptional(),
          channel: replyToMode.exactOptional(),
        }),
      ],
      { error: "must be off, first or all, or one of them for each of direct, group and channel" },
    )
    .exactOptional()
    .describe("Which parts of an answer quote the message that they answer, for all chats or by kind. Default off."),
  debounceMs: z.int().min(0).max(60_000).exactOptional().describe("In place of messages.inbound.debounceMs."),
  allowBots: z
    .boolean()
    .exactOptional()
    .describe("Whether other bots are heard. One that sends 20 messages in a minute is not answered until it is calmer. Default false."),
  reactions: z
    .boolean()
    .exactOptional()
    .describe("Whether a reaction to a message of the bot's is answered, where the channel tells of reactions. Default false."),
  historyLimit: historyLimit
    .exactOptional()
    .describe("Unanswered messages of a group that are given to the agent with the next answered one. Default 50."),
  streaming: z
    .enum(["off", "partial", "block"])
    .exactOptional()
    .describe(
      "partial: an answer is shown while it grows, where the channel can; block: it comes in several messages; off: whole. Default partial.",
    ),
});

/** Names of the common account keys. */
export const COMMON_ACCOUNT_KEYS: readonly string[] = Object.keys(accountSchema.shape);
