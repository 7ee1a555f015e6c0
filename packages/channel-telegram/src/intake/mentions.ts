import type { InboundMessage } from "@trunkline/plugin-sdk";
import type { MessageEntity } from "grammy/types";

/** What the bot is called: `getMe`. */
export interface BotIdentity {
  /** Decimal. */
  readonly id: string;
  /** Without the @. Names of bots are compared without case. */
  readonly username: string;
}

/** Whom a text names. `others` holds numeric ids, and `@name` where the platform gives no id. */
export interface Mentions {
  readonly bot: boolean;
  readonly others: readonly string[];
}

/**
 * Reads mentions from entities: `@name`, people without a name (`text_mention`), and commands that name their bot (`/new@name`).
 * `text` must be as it was received: offsets are UTF-16 units of it. Source: core.telegram.org/bots/api#messageentity.
 */
export function findMentions(text: string, entities: readonly MessageEntity[], me: BotIdentity): Mentions {
  let bot = false;
  const others = new Set<string>();
  for (const entity of entities) {
    const who = mentioned(text, entity);
    if (who === undefined) continue;
    if (who === me.id || who.toLowerCase() === `@${me.username.toLowerCase()}`) bot = true;
    else others.add(who);
  }
  return { bot, others: [...others] };
}

/** The text without the bot's own leading mention or the bot's name behind a leading command; one separator goes with a mention. */
export function stripBotMention(text: string, message: InboundMessage): string {
  const name = message.channelData?.["bot"];
  if (typeof name !== "string" || name === "") return text;
  const own = name.replace(/\W/g, "");
  const command = new RegExp(`^(/\\w+)@${own}(?!\\w)`, "i");
  const mention = new RegExp(`^\\s*@${own}(?!\\w)[,:]?\\s?`, "i");
  return command.test(text) ? text.replace(command, "$1") : text.replace(mention, "");
}

function mentioned(text: string, entity: MessageEntity): string | undefined {
  if (entity.type === "text_mention") return String(entity.user.id);
  if (entity.type !== "mention" && entity.type !== "bot_command") return undefined;
  const covered = text.slice(entity.offset, entity.offset + entity.length);
  const at = covered.indexOf("@");
  return at === -1 || at === covered.length - 1 ? undefined : covered.slice(at);
}
