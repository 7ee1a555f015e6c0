// @ts-check
import { say } from "@trunkline/plugin-sdk/testing";

/** @typedef {import("@trunkline/plugin-sdk").ModelMessage} ModelMessage @typedef {import("@trunkline/plugin-sdk/testing").ScriptStep} ScriptStep */

/** What the model does, by the first word of what the person said. `mark` is the second word, and in every answer. @type {Readonly<Record<string, (mark: string, since: readonly ModelMessage[]) => readonly ScriptStep[]>>} */
const SCRIPTS = {
  plain: (mark) => [say(`Plain answer `), say(`to ${mark}.`)],
};

/** The script that a person's words ask for. @param {string} text */
export function scriptOf(text) {
  const [, word = "", mark = ""] = /\b([a-z]+) (r\d+[a-z]?)\b/.exec(text) ?? [];
  const script = SCRIPTS[word];
  return script && { steps: (/** @type {readonly ModelMessage[]} */ since) => script(mark, since) };
}
