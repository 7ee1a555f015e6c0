import { describe, expect, it } from "vitest";
import { STOP_WORDS, stopRequestIn } from "./stop-words.ts";

it("takes the words that are configured in place of the built-in ones, and /stop always", () => {
  expect(stopRequestIn("Halt", ["halt"])).toBe("word");
  expect(stopRequestIn("stop", ["halt"])).toBeUndefined();
  expect(stopRequestIn("/stop", [])).toBe("command");
});

describe("stop words", () => {
  it.each(STOP_WORDS)("%s, alone, asks to stop", (word) => {
    expect(stopRequestIn(word)).toBe("word");
    expect(stopRequestIn(`  ${word.toUpperCase()}\n`)).toBe("word");
  });

  it.each(["/stop", "/STOP", " /stop ", "/stop:", "!stop"])("%j is the command", (text) => {
    expect(stopRequestIn(text)).toBe("command");
  });

  it.each(["please stop", "note: stop", "stop it", "stop!", "/stopwatch", "/stop now", "/stop@OtherBot", "停下来", "waiting", "", "/"])(
    "%j is ordinary text",
    (text) => {
      expect(stopRequestIn(text)).toBeUndefined();
    },
  );
});
