import { parseInlineDirectives } from "./directives.ts";
import { tokenSource } from "./edge-token.ts";
import { removeEchoes } from "./echoes.ts";
import { HEARTBEAT_TOKEN, stripHeartbeatToken } from "./heartbeat.ts";
import { removeLeakedMarkup } from "./leaked-markup.ts";
import { splitMediaFromOutput } from "./media.ts";
import { removeReasoning, unwrapFinal } from "./reasoning.ts";
import { removeSilentBlocks, stripSilentToken } from "./silent.ts";
import { mayHoldControlText } from "./suspicion.ts";
import { breakSpecialTokens, removeSpecialTokens } from "./special-tokens.ts";

/** Text that may be seen, and which kinds of control text had to go; empty when nothing had to. */
export interface StrippedText {
  readonly text: string;
  readonly found: readonly string[];
}

type Removal = readonly [name: string, remove: (text: string, silentToken: string) => string];

/** Everything that steers the gateway and that nobody may read, in the order in which shaping looks for it. */
const REMOVALS: readonly Removal[] = [
  ["special-token", (text) => removeSpecialTokens(text)],
  ["reasoning", (text) => removeReasoning(text)],
  ["final-tag", (text) => unwrapFinal(text)],
  ["tool-markup", (text) => removeLeakedMarkup(text)],
  ["echo", (text) => removeEchoes(text)],
  ["heartbeat-token", (text) => stripHeartbeatToken(text).text],
  ["media-directive", (text) => splitMediaFromOutput(text).text],
  ["reply-tag", (text) => parseInlineDirectives(text).text],
  ["silent-block", (text) => removeSilentBlocks(text).text],
  ["silent-token", (text, silentToken) => stripSilentToken(text, silentToken).text],
];
const PASSES = 8;
/** Names of the tags that shaping knows, as a pattern source. */
export const CONTROL_TAG_NAMES =
  "think|thinking|thought|antthinking|reasoning|final|silent|reply_to|media_url|tool_calls?|function_calls?|tool_use|invoke|function|parameter";
const CONTROL_TAG = new RegExp(`<(?=\\s*(?:\\/\\s*)?(?:[a-z][\\w-]{0,31}:)?(?:${CONTROL_TAG_NAMES})(?:[\\s/>=]|$))`, "gi");

/**
 * The text without any control text: what shaping removes, removed again until nothing changes, so that applying it twice is
 * applying it once. Text that still changes after eight passes was built to (tags inside tags); its markers are broken up.
 * Linear in the text.
 */
export function stripControlText(text: string, silentToken: string): StrippedText {
  if (!mayHoldControlText(text, [silentToken, HEARTBEAT_TOKEN])) return { text, found: [] };
  const found = new Set<string>();
  let current = text;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const before = current;
    for (const [name, remove] of REMOVALS) {
      const next = remove(current, silentToken);
      if (next !== current) found.add(name);
      current = next;
    }
    if (current === before) return { text: current, found: [...found] };
  }
  return { text: breakMarkers(current, silentToken), found: [...found, "nested"] };
}

/** Makes every marker harmless by spelling it differently. A space, not nothing, replaces a token, so that none is formed anew. */
function breakMarkers(text: string, silentToken: string): string {
  const tokens = [HEARTBEAT_TOKEN, silentToken].filter((token) => token.trim() !== "").map((token) => tokenSource(token.trim()));
  return breakSpecialTokens(text)
    .replace(new RegExp(tokens.join("|"), "giu"), " ")
    .replace(/\[(?=\[)/g, "[ ")
    .replace(CONTROL_TAG, "‹")
    .replace(/^([ \t]*)MEDIA:/gm, "$1Media:")
    .replace(/^([ \t]*)\{(?=\s*"(?:tool_calls|function_call|tool_use)")/gm, "$1(");
}
