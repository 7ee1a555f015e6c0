import { z } from "zod";

/** Where the Bot API lives unless `apiRoot` says otherwise. Source: core.telegram.org/bots/api#making-requests. */
export const PUBLIC_API_ROOT = "https://api.telegram.org";

const token = z
  .string({ error: "the bot token is missing; @BotFather gives one (/newbot), and ${TELEGRAM_TOKEN} keeps it out of the file" })
  .regex(/^\d+:[A-Za-z0-9_-]+$/, {
    error: "this is not a bot token; @BotFather writes them like 123456789:AAE…, digits, a colon, and letters",
  });

const apiRoot = z
  .url({ protocol: /^https?$/, error: "apiRoot is the http(s) address of a Bot API server, without the bot token" })
  // The client joins it with "/bot<token>/<method>", and refuses a slash at the end.
  .overwrite((url) => url.replace(/\/+$/, ""));

const mode = z
  .literal("polling", {
    error: ({ input }) =>
      input === "webhook"
        ? 'mode "webhook" is not available yet; leave `mode` out or write polling, which needs no public address'
        : "the only mode is polling",
  })
  .default("polling");

const format = z.enum(["entities", "html"]).optional();

/** An account's own keys below `channels.telegram.accounts.<id>`. */
export const telegramConfigSchema = z.strictObject({
  /** The token that @BotFather gave. A secret. */
  token,
  /** Another Bot API server (a local one, an emulator). No slash at the end. */
  apiRoot: apiRoot.optional(),
  mode,
  /** How styles reach the platform: as entities beside the text, or as HTML tags in it. Both look the same; entities unless set. */
  format,
});

/**
 * Which bot an account is: the number before the colon of its token, which `getMe` gives as the bot's id and which stays when
 * @BotFather makes a new token.
 * Source: core.telegram.org/bots/api#authorizing-your-bot, for the form of a token.
 */
export function botNumberOf(config: TelegramConfig): string {
  return config.token.slice(0, config.token.indexOf(":"));
}

/** One Telegram account, validated. */
export type TelegramConfig = z.output<typeof telegramConfigSchema>;
