/** One thing that the demo knows. The first entry whose pattern is found in the message answers. */
export interface DemoEntry {
  /** The word to type, as the list shows it. */
  readonly word: string;
  /** What it shows, for the list. Empty: not listed. */
  readonly shows: string;
  readonly pattern: RegExp;
  /** Only messages of at most this many words: words that people also use for other things. */
  readonly maxWords?: number;
  readonly answer: DemoAnswer;
}

/**
 * What an entry does: text; a call of the tool `now`; a failure; or a look at the files of the message.
 * In a text `{ordinal}` is the number of the message in this conversation, `{list}` the things to try.
 */
export type DemoAnswer = { readonly text: string } | { readonly act: "tool" | "fail" | "files" };

/** Shown wherever somebody could take the demo for more than it is. */
export const HONEST = "I am a scripted demo, not an AI model: I recognise a few words and answer from a script.";

const WELCOME = `Hello! This is **Trunkline**, a self-hosted gateway between chat platforms and AI agents. ${HONEST}

It shows how answers look and arrive here. Try one of these words:

{list}

Nothing leaves this machine. For real answers, set a model in \`trunkline.yaml\` (\`agents.defaults.model.primary\`).

This is your {ordinal} message in this conversation.`;

const TABLE = `Here is a table. Where a platform knows no tables, Trunkline turns it into a form that reads well there.

| Channel | Formatting | Longest message |
|---|---|---:|
| Web chat | HTML | no limit |
| Telegram | entities | 4,096 characters |
| Plain text | none | no limit |

The same answer, rendered for each.`;

const CODE = `A block of code keeps its spaces and line ends:

\`\`\`ts
function greet(name: string): string {
  // Indented with two spaces, with <tags> & "quotes".
  return \`Hello, \${name}!\`;
}

console.log(greet("Trunkline"));
\`\`\`

And \`inline code\` stays in its line.`;

const STREAM = `Watch this answer grow:

1. The model sends a few words at a time.
2. Trunkline shows them as soon as it is sure that they will be part of the answer.
3. Unclosed **bold** or \`code\` is repaired while it is only half there.
4. At the end the finished answer replaces the preview, so you have it exactly once.

That was it. Write \`long\` to see it with a longer text.`;

const LONG_TOPICS: readonly (readonly [title: string, sentence: string, points: readonly string[]])[] = [
  [
    "Arrival",
    "A message is written to the disk before the platform hears that it was taken",
    [
      "a duplicate is recognised by its id, never by its text",
      "a crash loses nothing that was taken",
      "every message ends in exactly one recorded outcome",
    ],
  ],
  [
    "Access",
    "The configuration decides who may talk to the agent, and an empty list means nobody",
    [
      "denied messages are recorded with the reason",
      "groups and private chats have rules of their own",
      "commands need a permission of their own",
    ],
  ],
  [
    "Routing",
    "Bindings choose the agent, and the session decides what it remembers",
    ["the most specific binding wins", "people in different chats do not share a memory", "the answer goes where the question came from"],
  ],
  [
    "The turn",
    "Messages of one conversation are answered in order, one turn at a time",
    ["conversations run side by side", "a stop word ends a running turn within a second", "tools run between the steps of the model"],
  ],
  [
    "Shaping",
    "What the model wrote becomes what a person should see",
    ["directives are carried out and removed", "a request for silence is kept", "files are attached, not described"],
  ],
  [
    "Delivery",
    "Each part of an answer is written down before it is sent",
    [
      "long answers are cut at paragraphs and never inside a word",
      "a platform that asks for patience gets it",
      "after a restart no part is sent twice without looking first",
    ],
  ],
];

const LONG = `# A long answer

It is long enough to need more than one message on most platforms. ${HONEST}

${LONG_TOPICS.map(
  ([title, sentence, points], index) => `## ${index + 1}. ${title}

${sentence}. This paragraph is here to give the chapter some body: text on a chat platform is cut by limits that count characters, bytes or UTF-16 units, and a cut in the wrong place breaks a list, a link or a block of code. So the cut is planned, with **bold**, _italic_ and \`code\` kept whole on both sides.

${points.map((point) => `- **${point.split(" ").slice(0, 2).join(" ")}** ${point.split(" ").slice(2).join(" ")}`).join("\n")}

> In short: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}.

The details of this step are recorded as decisions, and \`trunkline explain last\` prints them with the file and line of the rule that decided.`,
).join("\n\n")}

That was the end of the long answer.`;

/** The script, in order of precedence. */
export const DEMO_SCRIPT: readonly DemoEntry[] = [
  {
    word: "silent",
    shows: "no answer at all",
    pattern: /\b(?:stay |be |keep )?(?:silent|quiet)\b/,
    maxWords: 6,
    answer: { text: "NO_REPLY" },
  },
  { word: "error", shows: "what a failing model looks like", pattern: /\berror\b/, maxWords: 5, answer: { act: "fail" } },
  { word: "table", shows: "a table", pattern: /\btables?\b/, answer: { text: TABLE } },
  { word: "code", shows: "a block of code", pattern: /\bcode\b/, answer: { text: CODE } },
  { word: "time", shows: "a tool call: the clock of this machine", pattern: /\b(?:time|clock|tools?)\b/, answer: { act: "tool" } },
  { word: "long", shows: "a long answer, in several messages where needed", pattern: /\blong(?:er)?\b/, answer: { text: LONG } },
  { word: "stream", shows: "an answer that grows while you watch", pattern: /\bstream(?:s|ing)?\b/, answer: { text: STREAM } },
  {
    word: "image",
    shows: "what I know about a picture or file you send",
    pattern: /\b(?:images?|pictures?|photos?|files?|documents?)\b/,
    answer: { act: "files" },
  },
  {
    word: "help",
    shows: "",
    pattern: /\b(?:hello|hi|hey|help|start|who are you|what are you|what can you do)\b/,
    answer: { text: WELCOME },
  },
];

/** The answer to everything else. `{said}` is the beginning of the message. */
export const DEFAULT_ANSWER = `You wrote: “{said}”. ${HONEST} So I cannot say more about it, but I can show you things:

{list}

This is your {ordinal} message in this conversation.`;
