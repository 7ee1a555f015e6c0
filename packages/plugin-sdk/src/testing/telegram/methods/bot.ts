import { badRequest } from "../refusal.ts";
import type { Method } from "./method.ts";

/** Most commands of one list. Source: core.telegram.org/bots/api#setmycommands. */
export const COMMAND_LIMIT = 100;

/** getMe. */
export const getMe: Method = ({ world }) => ({ result: { ...world.bot, ...world.botSettings } });

/** setMyCommands: names of 1-32 of a-z, 0-9 and "_", descriptions of 1-256. Source: core.telegram.org/bots/api#botcommand. */
export const setMyCommands: Method = ({ world, params }) => {
  const commands = params.json("commands", "commands");
  if (!Array.isArray(commands)) throw badRequest("Expected an Array of BotCommand");
  if (commands.length > COMMAND_LIMIT) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  const checked = commands.map((entry: unknown) => {
    const { command, description } = (entry ?? {}) as { command?: unknown; description?: unknown };
    if (typeof command !== "string") throw badRequest(`Can't parse BotCommand: Can't find field "command"`);
    if (typeof description !== "string") throw badRequest(`Can't parse BotCommand: Can't find field "description"`);
    const name = command.replace(/^\//, "");
    if (!/^[a-z0-9_]{1,32}$/.test(name)) throw badRequest("BOT_COMMAND_INVALID");
    if (description.trim() === "" || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    return { command: name, description };
  });
  world.commands.set(commandScope(params.text("scope"), params.text("language_code")), checked);
  return { result: true };
};

/** getMyCommands. */
export const getMyCommands: Method = ({ world, params }) => ({
  result: world.commands.get(commandScope(params.text("scope"), params.text("language_code"))) ?? [],
});

/** deleteMyCommands. */
export const deleteMyCommands: Method = ({ world, params }) => {
  world.commands.delete(commandScope(params.text("scope"), params.text("language_code")));
  return { result: true };
};

/** answerCallbackQuery: each query once, with a text of at most 200 characters. */
export const answerCallbackQuery: Method = ({ world, params }) => {
  if (params.text("text").length > 200) throw badRequest("MESSAGE_TOO_LONG");
  if (!world.callbacks.delete(params.text("callback_query_id"))) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  return { result: true };
};

function commandScope(scope: string, language: string): string {
  return `${scope === "" ? '{"type":"default"}' : scope} ${language}`;
}
