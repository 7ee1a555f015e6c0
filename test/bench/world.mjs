// @ts-check
import { systemClock } from "@trunkline/plugin-sdk";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { markIn } from "./model.mjs";
import { pause, waitUntil } from "./wait.mjs";

/** The platform's clock with fractions of a ms, so that latencies have them too. */
const clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() };

/**
 * A Telegram of its own for one subject, and the people in it.
 * @typedef {Awaited<ReturnType<typeof createWorld>>} World
 */

/** @param {{ conversations: number }} options */
export async function createWorld({ conversations }) {
  const emulator = await createTelegramEmulator({ clock });
  let sent = 0;
  /** Everybody speaks in turn. @param {number} count @returns {string[]} the marks of the messages */
  const say = (count) =>
    Array.from({ length: count }, () => {
      const chat = (sent % conversations) + 1;
      const mark = `c${chat}m${Math.floor(sent / conversations)}`;
      const person = { userId: 1000 + chat, firstName: `P${chat}` };
      emulator.send(emulator.privateChat(person), person, { text: mark });
      sent += 1;
      return mark;
    });
  const answers = () => emulator.audit.visibleFromBot();
  /** @param {number} timeoutMs */
  const untilAllAnswered = (timeoutMs) =>
    waitUntil(
      () => answers().length >= sent,
      () => `${sent} answers; there are ${answers().length}`,
      { timeoutMs, pauseMs: 50 },
    );

  return {
    emulator,
    /** Waits until each message has its answer. Throws when one has two, or the wrong one. */
    async settle(timeoutMs = 60_000) {
      await untilAllAnswered(timeoutMs);
      const marks = answers().map(({ text }) => markIn(text));
      if (marks.length !== sent || new Set(marks).size !== sent)
        throw new Error(`${sent} messages got ${marks.length} answers, ${new Set(marks).size} of them different`);
    },
    /** All messages at once. @param {number} count @returns {Promise<number>} seconds from the first message to the last answer */
    async burst(count) {
      const started = clock.now();
      say(count);
      await this.settle();
      return ((answers().at(-1)?.at ?? NaN) - started) / 1000;
    },
    /**
     * Messages at an even pace.
     * @param {number} count @param {number} perSecond
     * @returns {Promise<readonly { mark: string, ms: number }[]>} from the message to its visible answer
     */
    async paced(count, perSecond) {
      const started = performance.now();
      /** @type {Set<string>} */
      const marks = new Set();
      while (marks.size < count) {
        const due = Math.min(count, Math.floor(((performance.now() - started) / 1000) * perSecond) + 1);
        for (const mark of say(due - marks.size)) marks.add(mark);
        await pause(started + (marks.size / perSecond) * 1000 - performance.now());
      }
      await this.settle();
      const seen = new Map(answers().map(({ text, at }) => [markIn(text), at]));
      return emulator.audit
        .visible()
        .filter(({ from, text }) => from === "user" && marks.has(text))
        .map(({ text, at }) => ({ mark: text, ms: (seen.get(text) ?? NaN) - at }));
    },
    /** Calls of the Bot API so far, getUpdates left out. */
    calls: () => emulator.audit.calls().filter(({ method }) => method !== "getUpdates").length,
    close: () => emulator.close(),
  };
}
