// @ts-check
import { shapeReply } from "../../packages/core/dist/shaping/shape.js";
import { median } from "./numbers.mjs";

/** An answer of 1.5 kB as models write them: paragraphs, a link, a list. */
const PARAGRAPH =
  "The importer reads each file once, checks its rows and writes **what is new**; the rest is counted, see [the log](https://example.org/log).";
const PLAIN = `${PARAGRAPH}\n\n- one of them\n- \`two\` of them\n\n${Array.from({ length: 10 }, () => PARAGRAPH).join("\n\n")}`.slice(
  0,
  1500,
);
/** The same with a tag, so that everything is looked for. */
const TAGGED = `[[reply_to_current]] ${PLAIN}`.slice(0, 1500);
const CONTEXT = { currentMessageId: "7", silentToken: "NO_REPLY", mediaAllowed: () => null };
const CALLS = 2000;

/** What it costs to shape one payload, in time of the processor: the wall clock would count what others do. @param {{ rounds: number }} options */
export async function measureShaping({ rounds }) {
  return [
    { ...row("shaping", "shaping a payload of 1.5 kB", PLAIN, rounds), target: { atMost: 20 } },
    row("shaping-tagged", "the same, with a tag in it", TAGGED, rounds),
  ];
}

/** @param {string} id @param {string} what @param {string} text @param {number} rounds */
function row(id, what, text, rounds) {
  /** @type {number[]} */
  const samples = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS; call += 1) shapeReply({ text }, CONTEXT);
    const { user, system } = process.cpuUsage(before);
    // The first round is the compiler's.
    if (round > 0) samples.push((user + system) / CALLS);
  }
  return { id, what, value: median(samples), unit: "µs", samples };
}
