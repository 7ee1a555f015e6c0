import type { MessageLink } from "@trunkline/plugin-sdk";

const WEB = /^(?:https?:\/\/)?(?:www\.)?(?:t|telegram)\.me\/([^?#]+)/i;
const APP = /^tg:(?:\/\/)?(privatepost|resolve)\?(.+)$/i;
const NUMBER = /^[1-9]\d{0,15}$/;
const HANDLE = /^[a-z]\w{3,31}$/i;

/**
 * A link to one message: `t.me/c/CHAT/ID` and `tg://privatepost` for private supergroups, `t.me/NAME/ID` and `tg://resolve` for public
 * ones, each with a topic's number before the message's or behind `?thread=`. Private chats and basic groups have no links. A comment
 * below a post is a message of another chat and is not read. Source: core.telegram.org/api/links#message-links.
 */
export function parseTelegramLink(link: string): MessageLink | undefined {
  const text = link.trim();
  return /[?&]comment=/i.test(text) ? undefined : (parseWeb(text) ?? parseApp(text));
}

/** A public name as it is compared: names are the same whatever their case. Source: core.telegram.org/api/links#public-username-links. */
export function canonicalHandle(name: string): string {
  return name.toLowerCase();
}

function parseWeb(text: string): MessageLink | undefined {
  const [first = "", ...rest] = WEB.exec(text)?.[1]?.replace(/\/$/, "").split("/") ?? [];
  const hidden = first.toLowerCase() === "c";
  const [place = "", ...numbers] = hidden ? rest : [first, ...rest];
  const messageId = numbers.at(-1) ?? "";
  if (numbers.length > 2 || !numbers.every((number) => NUMBER.test(number))) return undefined;
  return hidden ? inChat(place, messageId) : byName(place, messageId);
}

function parseApp(text: string): MessageLink | undefined {
  const [, kind = "", query = ""] = APP.exec(text) ?? [];
  const params = new URLSearchParams(query);
  const messageId = params.get("post") ?? "";
  return kind.toLowerCase() === "privatepost"
    ? inChat(params.get("channel") ?? "", messageId)
    : byName(params.get("domain") ?? "", messageId);
}

/** Links leave out the -100 that the Bot API writes before the number of a supergroup. */
function inChat(chat: string, messageId: string): MessageLink | undefined {
  return NUMBER.test(chat) && NUMBER.test(messageId) ? { messageId, conversation: { id: `-100${chat}` } } : undefined;
}

function byName(name: string, messageId: string): MessageLink | undefined {
  return HANDLE.test(name) && NUMBER.test(messageId) ? { messageId, conversation: { handle: canonicalHandle(name) } } : undefined;
}
