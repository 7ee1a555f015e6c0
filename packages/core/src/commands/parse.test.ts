import { describe, expect, it } from "vitest";
import { parseCommand } from "./parse.ts";
import { BUILT_IN_COMMANDS } from "./registry.ts";

function parse(text: string) {
  const call = parseCommand(text, BUILT_IN_COMMANDS);
  return call && [call.command.name, call.args];
}

describe("commands in messages", () => {
  it.each([
    ["/help", "help", ""],
    ["  /HELP  ", "help", ""],
    ["/commands", "help", ""],
    ["!status", "status", ""],
    ["/info", "status", ""],
    ["/new Tell me More", "new", "Tell me More"],
    ["/reset: Hello", "new", "Hello"],
    ["/new\nfirst line\nsecond", "new", "first line\nsecond"],
    ["/id", "whoami", ""],
    ["/stop now", "stop", "now"],
  ])("%j is /%s with %j", (text, name, args) => {
    expect(parse(text)).toEqual([name, args]);
  });

  it.each([
    "help",
    "please /help",
    "/unknown",
    "/helpme",
    "/help/file",
    "/new.txt",
    "/",
    "//help",
    "/help@OtherBot",
    "/home/ann/notes",
    "",
  ])("%j is ordinary text", (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it("gives every built-in command a name that platforms take, and no two the same one", () => {
    const names = BUILT_IN_COMMANDS.flatMap((command) => [command.name, ...(command.aliases ?? [])]);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,32}$/);
    expect(new Set(names).size).toBe(names.length);
  });
});
