// @ts-check
import createMarkdownIt from "markdown-it";
import { plainProfile, renderParts } from "@trunkline/core";
import { discordChannel } from "@trunkline/channel-discord";
import { slackChannel } from "@trunkline/channel-slack";
import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { whatsappChannel } from "@trunkline/channel-whatsapp";
import { LARGE_TEXTS } from "./large-texts.mjs";

/** An answer of 1.5 kB as models write them: headings, lists, code, a table, links, emphasis. */
const ANSWER = `## How to move the service

The **build** passed, and the *new* image is in the registry. See [the log](https://ci.example.com/builds/4711) for what was slow; most of the
time went into \`npm ci\`, which now takes **48 s** instead of 12 s.

1. Stop the old one: \`systemctl stop gateway\`
2. Copy the data folder
   - keep the owner and the mode
   - do **not** copy \`gateway.lock\`
3. Start the new one, and look at the log for *two* minutes

\`\`\`sh
rsync -a --exclude gateway.lock /var/lib/gateway/ new-host:/var/lib/gateway/
ssh new-host 'systemctl start gateway && journalctl -fu gateway'
\`\`\`

| Step | Takes | Can be undone |
|---|--:|:-:|
| Stop | 2 s | yes |
| Copy | 3 min | yes |
| Start | 1 s | no, messages are answered |

> **Note:** people who write in between wait, and are answered afterwards.

### If something is wrong

- The port is busy: \`lsof -i :8787\` tells by whom, for example \`node\`
- The folder belongs to somebody else: \`chown -R gateway: /var/lib/gateway\`
- ~~Delete the database~~ Never delete the database; \`trunkline store status\` names the backups

Everything else is in https://docs.example.com/moving?from=old&to=new and, for questions, ask **@ops** in the channel. It helps to say which
step it was, what the log said, and whether the *old* service still runs. The whole move took us less than ten minutes last time, including the
coffee, and nobody noticed it. Good luck!
`;

const channels = [telegramChannel, discordChannel, slackChannel, whatsappChannel, webChannel];
/** @type {Readonly<Record<string, import("@trunkline/plugin-sdk").RenderProfile>>} */
const PROFILES = {
  ...Object.fromEntries(channels.map((channel) => [channel.id, channel.render(/** @type {any} */ ({}))])),
  plain: plainProfile,
};

const ROUNDS = 150;
const CALLS = 5;

/**
 * Microseconds from Markdown to the parts of a message on each channel, and how many times that is what the parser needs for its own parse of
 * the same text. All take turns in one run, so that what disturbs the machine disturbs them all.
 * @returns {import("./report.mjs").Row[]}
 */
export function measureMarkdown() {
  const parser = createMarkdownIt("default", { html: false, linkify: false });
  /** @type {Record<string, () => unknown>} */
  const work = { parse: () => parser.parse(ANSWER, {}) };
  for (const [id, profile] of Object.entries(PROFILES)) work[id] = () => renderParts(ANSWER, profile);
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(work).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(work)) {
      const start = process.hrtime.bigint();
      for (let call = 0; call < CALLS; call += 1) run();
      // Code is compiled in the first rounds.
      if (round >= 60) times[name]?.push(Number(process.hrtime.bigint() - start) / 1000 / CALLS);
    }
  }
  // What disturbs a round only adds to it, so the fastest says most.
  const fastest = (/** @type {string} */ name) => Math.min(...(times[name] ?? []));
  const parse = fastest("parse");
  const alone = { id: "markdown-parse", what: "markdown-it, its parse alone of a 1.5 kB answer", value: parse, unit: "us" };
  return Object.keys(PROFILES)
    .flatMap((name) => [
      { id: `markdown-${name}`, what: `Markdown to parts, ${name}`, value: fastest(name), unit: "us" },
      {
        id: `markdown-${name}-ratio`,
        what: `... beside the parse alone`,
        value: fastest(name) / parse,
        unit: "x",
        target: { atMost: 2.5 },
      },
    ])
    .toSpliced(0, 0, alone);
}

/**
 * The time of large and hostile texts, each on the channel where it takes longest.
 * @returns {import("./report.mjs").Row[]}
 */
export function measureLargeMarkdown() {
  return Object.entries(LARGE_TEXTS).map(([name, [times, text]]) => {
    const markdown = text(times);
    const samples = Object.values(PROFILES).map((profile) => {
      const start = process.hrtime.bigint();
      renderParts(markdown, profile);
      return Number(process.hrtime.bigint() - start) / 1e6;
    });
    return {
      id: `markdown-large ${name}`,
      what: `Markdown to parts: ${name}, slowest`,
      value: Math.max(...samples),
      unit: "ms",
      target: { atMost: 1000 },
      samples,
    };
  });
}
