import type { Story } from "./story.ts";

const BASE = {
  channels: ["telegram", "web"],
  place: "direct",
  agent: "built-in",
  onAmbiguous: "resend",
} as const satisfies Partial<Story>;

/** A story in which the person says one thing, and hears what child/scripts.mjs says to that word. */
function oneWord(name: string, word: string, answers: Story["answers"], more: Partial<Story> = {}): Story {
  return { ...BASE, name, play: (person, mark) => person.say(`${word} ${mark}`), answers, ...more };
}

const afterTool: Story["answers"] = (mark) => [[`Done for ${mark}.`, `Nobody knows whether it was done for ${mark}.`]];

export const PLAIN = oneWord("plain answer", "plain", (mark) => [[`Plain answer to ${mark}.`]]);

export const NON_IDEMPOTENT = oneWord("tool that is not idempotent", "book", afterTool, { tool: { name: "book", idempotent: false } });

/** The stories of the matrix. What the model and the agent do in them is in child/scripts.mjs and child/scripted-agent.mjs. */
export const STORIES: readonly Story[] = [
  PLAIN,
  { ...PLAIN, name: "plain answer, hold", channels: ["telegram"], onAmbiguous: "hold" },
  oneWord("long answer in parts", "long", (mark) => [1, 2, 3].map((part) => [`Part ${part} of ${mark}`]), {
    read: (words) => words.match(/Part \d of r\d+/g) ?? [words],
  }),
  oneWord("blocks", "blocks", (mark) => [1, 2, 3].map((block) => [`Block ${block} for ${mark}.`]), {
    agent: "scripted",
    tool: { name: "book", idempotent: false },
  }),
  oneWord("preview, then final", "growing", (mark) => [
    [[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `Sentence ${n} of the answer to ${mark}.`).join(" ")],
  ]),
  oneWord("idempotent tool", "measure", (mark) => [[`Measuring for ${mark}.`], ...afterTool(mark)], {
    tool: { name: "measure", idempotent: true },
  }),
  NON_IDEMPOTENT,
  // On Telegram the words are the caption, in the browser they stand below.
  oneWord("file out", "file", (mark) => [["[file report.txt]"], [`Here is the report for ${mark}.`]], {
    read: (words) => words.split(/(?<=\]) /),
  }),
  {
    ...BASE,
    name: "two queued messages",
    async play(person, mark) {
      await person.say(`slow ${mark}a`);
      await person.say(`plain ${mark}b`);
    },
    answers: (mark) => [[`Slow answer to ${mark}a.`], [`Plain answer to ${mark}b.`]],
  },
  { ...PLAIN, name: "group", channels: ["telegram"], place: "group" },
  {
    ...BASE,
    name: "stop",
    async play(person, mark, until) {
      await person.say(`endless ${mark}`);
      await until(() => person.sawWork());
      await person.say("/stop");
    },
    answers: () => [["Stopped.", "Nothing was running."]],
    mayStay: (mark) => [`Thinking about ${mark}, and about what is to be said about it to whoever asked.`],
  },
  { ...NON_IDEMPOTENT, name: "killed again, after one in a tool", diesFirst: { name: "tool book: after", occurrence: 1 } },
  {
    ...PLAIN,
    name: "killed again, after one in a send",
    channels: ["telegram"],
    diesFirst: { name: "call sendMessage: answered", occurrence: 1 },
  },
];

/** A message that ends the process whenever its turn runs; not of the matrix, because it needs no kill. */
export const POISON = oneWord(
  "a message that kills the process",
  "explode",
  () => [["I could not finish this message after several tries, so I have put it aside. Please try it differently."]],
  { deaths: 3 },
);

/** The plain answer with one call to a platform more, made by a tool: what it adds becomes points by itself. */
export function pinging(apiRoot: string): Story {
  return {
    ...PLAIN,
    name: "plain answer with one call more",
    play: (person) => person.say(`ping ${apiRoot}`),
    answers: () => [["Pinged."]],
  };
}
