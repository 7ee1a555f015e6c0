// @ts-check
import { setTimeout as pause } from "node:timers/promises";
import { callTool, hang, hold, say } from "@trunkline/plugin-sdk/testing";

/**
 * @typedef {import("@trunkline/plugin-sdk").ModelMessage} ModelMessage
 * @typedef {import("@trunkline/plugin-sdk/testing").ScriptStep} ScriptStep
 */

/** Pace of a model that takes its time, ms. */
const PACE_MS = 120;

/**
 * What the model does, by the first word of what the person said. `mark` is the second word, and stands in every answer; `since` is what
 * came after the person's words.
 * @type {Readonly<Record<string, (mark: string, since: readonly ModelMessage[]) => readonly ScriptStep[]>>}
 */
const SCRIPTS = {
  plain: (mark) => [say("Plain answer "), say(`to ${mark}.`)],
  slow: (mark) => [later(), say(`Slow answer to ${mark}.`)],
  long: (mark) => [1, 2, 3].map((part) => say(`Part ${part} of ${mark}. ${"It goes on. ".repeat(230)}\n\n`)),
  growing: (mark) => [1, 2, 3, 4, 5, 6, 7, 8].flatMap((n) => [say(`Sentence ${n} of the answer to ${mark}. `), later()]),
  endless: (mark) => [say(`Thinking about ${mark}, and about what is to be said about it to whoever asked.`), hang()],
  file: (mark) => [say(`Here is the report for ${mark}.\nMEDIA: report.txt`)],
  measure: (mark, since) =>
    toolText(since) === undefined ? [say(`Measuring for ${mark}.`), callTool("measure", { text: mark })] : [said(mark, since)],
  book: (mark, since) => (toolText(since) === undefined ? [callTool("book", { text: mark })] : [said(mark, since)]),
  explode: (mark, since) => (toolText(since) === undefined ? [callTool("explode", { text: mark })] : [said(mark, since)]),
};

/** The script that a person's words ask for, as a function of what came after them. @param {string} text */
export function scriptOf(text) {
  const ping = /\bping (http:\S+)/.exec(text)?.[1];
  if (ping !== undefined) return (/** @type {readonly ModelMessage[]} */ since) => pinging(ping, since);
  const [, word = "", mark = ""] = /\b([a-z]+) (r\d+[a-z]?)\b/.exec(text) ?? [];
  const script = Object.hasOwn(SCRIPTS, word) ? SCRIPTS[word] : undefined;
  return script && ((/** @type {readonly ModelMessage[]} */ since) => script(mark, since));
}

/** @param {string} root @param {readonly ModelMessage[]} since */
function pinging(root, since) {
  return toolText(since) === undefined ? [callTool("ping", { text: root })] : [say("Pinged.")];
}

/** What the last tool said, if one ran. @param {readonly ModelMessage[]} since */
function toolText(since) {
  return since.findLast((message) => message.role === "tool")?.text;
}

/** @param {string} mark @param {readonly ModelMessage[]} since */
function said(mark, since) {
  return say(toolText(since) === `done ${mark}` ? `Done for ${mark}.` : `Nobody knows whether it was done for ${mark}.`);
}

/** A pause, as a model makes one. */
function later() {
  return hold({ reached: Promise.resolve(), open() {}, pass: () => pause(PACE_MS) });
}
