import { badRequest } from "./refusal.ts";
import type { Params } from "./params.ts";
import { checkLink } from "./text/links.ts";

/** Longest `callback_data`. Unit: bytes. Source: core.telegram.org/bots/api#inlinekeyboardbutton. */
export const CALLBACK_DATA_LIMIT = 64;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads `reply_markup`; undefined when there is none, or an inline keyboard without buttons.
 * @throws Refusal 400 for anything the real server refuses. Source: telegram-bot-api Client.cpp, `get_reply_markup`.
 */
export function readMarkup(params: Params): unknown {
  const markup = params.json("reply_markup", "reply keyboard markup");
  if (markup === undefined) return undefined;
  if (typeof markup !== "object" || markup === null || Array.isArray(markup)) throw badRequest("Object expected as reply markup");
  const rows = (markup as Fields)["inline_keyboard"];
  if (rows === undefined) return markup;
  if (!Array.isArray(rows)) throw badRequest(`Field "inline_keyboard" must be of type Array`);
  const checked = rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw badRequest(`Field "inline_keyboard" must be an Array of Arrays`);
    return row.map(checkButton);
  });
  const filled = checked.filter((row) => row.length > 0);
  return filled.length === 0 ? undefined : { inline_keyboard: filled };
}

function checkButton(button: unknown): unknown {
  if (typeof button !== "object" || button === null) throw unreadable("InlineKeyboardButton must be an Object");
  const { text, url, callback_data: data } = button as Fields;
  if (text === undefined) throw unreadable(`Can't find field "text"`);
  if (typeof text !== "string") throw unreadable(`Field "text" must be of type String`);
  if (typeof url === "string") {
    const link = checkLink(url);
    if (link.kind === "invalid") throw badRequest(`inline keyboard button URL '${url}' is invalid: ${link.reason}`);
  } else if (typeof data === "string") {
    if (data === "" || Buffer.byteLength(data) > CALLBACK_DATA_LIMIT) throw badRequest("BUTTON_DATA_INVALID");
  } else if (Object.keys(button).every((key) => ["text", "style", "icon_custom_emoji_id"].includes(key))) {
    throw unreadable("Text buttons are unallowed in the inline keyboard");
  }
  if (text.trim() === "") throw badRequest("BUTTON_TEXT_INVALID");
  return button;
}

function unreadable(reason: string): Error {
  return badRequest(`Can't parse inline keyboard button: ${reason}`);
}
