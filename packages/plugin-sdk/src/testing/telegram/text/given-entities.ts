import { badRequest } from "../refusal.ts";
import type { WireEntity, WireUser } from "../wire.ts";
import { checkLink } from "./links.ts";

/** Finds a person whom the bot may mention; undefined when it never met them. */
export type FindUser = (id: number) => WireUser | undefined;

// Types that Telegram marks by itself: accepted and ignored. Source: telegram-bot-api Client.cpp, `get_text_entity_type`.
const AUTOMATIC = new Set([
  "mention",
  "hashtag",
  "cashtag",
  "bot_command",
  "url",
  "email",
  "phone_number",
  "bank_card_number",
  "media_timestamp",
]);
const PLAIN = new Set(["bold", "italic", "underline", "strikethrough", "spoiler", "code", "blockquote", "expandable_blockquote"]);
const DATE_FORMAT = /^(?:r|w?[dD]?[tT]?)$/;
const MAX_OFFSET = 1_000_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the `entities` that a bot sends with a text.
 * @throws Refusal 400 with the server's wording for an unknown type, a missing field, a bad link or an unknown person.
 * Source: telegram-bot-api Client.cpp, `get_text_entity`; td MessageEntity.cpp, `get_message_entities`.
 */
export function readEntities(list: unknown, findUser: FindUser): WireEntity[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((value: unknown) => readEntity(value, findUser));
}

function readEntity(value: unknown, findUser: FindUser): WireEntity[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadable("expected an Object");
  const fields = value as Fields;
  const type = required(fields, "type");
  const range = { offset: integer(fields, "offset"), length: integer(fields, "length") };
  if (AUTOMATIC.has(type)) return [];
  if (range.offset < 0 || range.offset > MAX_OFFSET) throw badRequest(`Receive an entity with incorrect offset ${range.offset}`);
  if (range.length < 0 || range.length > MAX_OFFSET) throw badRequest(`Receive an entity with incorrect length ${range.length}`);
  if (PLAIN.has(type)) return [{ type, ...range }];
  switch (type) {
    case "pre":
      return [{ type, ...range, ...(optional(fields, "language") === "" ? {} : { language: optional(fields, "language") }) }];
    case "text_link":
      return [linkEntity(required(fields, "url"), range, findUser)];
    case "text_mention":
      return [mentionEntity(fields["user"], range, findUser)];
    case "custom_emoji":
      return [{ type, ...range, custom_emoji_id: required(fields, "custom_emoji_id") }];
    case "date_time":
      return [dateEntity(fields, range)];
    default:
      throw unreadable("Unsupported type specified");
  }
}

interface Range {
  readonly offset: number;
  readonly length: number;
}

function linkEntity(url: string, range: Range, findUser: FindUser): WireEntity {
  const link = checkLink(url);
  if (link.kind === "invalid") throw badRequest(`Entity URL '${url}' is invalid: ${link.reason}`);
  return link.kind === "user" ? mentionEntity({ id: link.userId }, range, findUser) : { type: "text_link", ...range, url: link.url };
}

function mentionEntity(user: unknown, range: Range, findUser: FindUser): WireEntity {
  if (typeof user !== "object" || user === null) throw unreadable(`Can't find field "user"`);
  const known = findUser(Number((user as Fields)["id"]));
  if (known === undefined) throw badRequest("User not found");
  return { type: "text_mention", ...range, user: known };
}

function dateEntity(fields: Fields, range: Range): WireEntity {
  const format = optional(fields, "date_time_format");
  if (!DATE_FORMAT.test(format)) throw unreadable("Invalid date_time_format specified");
  return { type: "date_time", ...range, unix_time: integer(fields, "unix_time"), ...(format === "" ? {} : { date_time_format: format }) };
}

function required(fields: Fields, name: string): string {
  const value = fields[name];
  if (value === undefined || value === null) throw unreadable(`Can't find field "${name}"`);
  if (typeof value !== "string" && typeof value !== "number") throw unreadable(`Field "${name}" must be of type String`);
  return String(value);
}

function optional(fields: Fields, name: string): string {
  const value = fields[name];
  return value === undefined || value === null ? "" : required(fields, name);
}

function integer(fields: Fields, name: string): number {
  const value = Number(required(fields, name));
  if (!Number.isInteger(value)) throw unreadable(`Field "${name}" must be a valid Number`);
  return value;
}

function unreadable(reason: string): Error {
  return badRequest(`Can't parse MessageEntity: ${reason}`);
}
