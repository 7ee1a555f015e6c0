import { describe, expect, it } from "vitest";
import { renderParts } from "../../../packages/core/src/markdown/render-parts.ts";
import { LARGE_TEXTS } from "../../bench/large-texts.mjs";
import { CHANNELS, PROFILES } from "./channels.ts";

/** Of the largest a quarter, enough to see how the work grows. `pnpm bench` has the times of the whole. */
const shareOf = (name: string): number => (name.startsWith("1 MB") ? 4 : 1);

/** Characters that were rendered and measured on the way to the parts: the work of cutting, whatever the machine. */
function workOf(channel: string, markdown: string): { readonly work: number; readonly shown: number } {
  const profile = PROFILES[channel]!;
  let work = 0;
  const measure = (text: string): number => {
    work += text.length;
    return profile.measure(text);
  };
  const parts = renderParts(markdown, { ...profile, measure });
  return { work, shown: parts.reduce((sum, part) => sum + part.text.length, 0) };
}

// A text that costs the square of its length would not end within the tests' time.
describe.each(CHANNELS)("work grows with the text and no faster on %s", (channel) => {
  it.each(Object.keys(LARGE_TEXTS))("%s", { timeout: 60_000 }, (name) => {
    const [times, text] = LARGE_TEXTS[name]!;
    const part = workOf(channel, text(Math.ceil(times / shareOf(name) / 4)));
    const whole = workOf(channel, text(Math.ceil(times / shareOf(name))));
    // Four times the text; work that grows with its square would be sixteen times as much.
    expect(whole.work).toBeLessThanOrEqual(part.work * 8 + 100_000);
    // The most is where a character grows to six: every size is tried until one fits.
    expect(whole.work, "each character is rendered a bounded number of times").toBeLessThanOrEqual(whole.shown * 40 + 100_000);
  });
});
