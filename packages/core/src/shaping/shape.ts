import type { ReplyPayload, SilenceRule } from "@trunkline/plugin-sdk";
import { guardControlText } from "./egress-guard.ts";
import { HEARTBEAT_TOKEN, stripHeartbeatToken } from "./heartbeat.ts";
import { removeEchoes } from "./echoes.ts";
import { removeLeakedMarkup } from "./leaked-markup.ts";
import { applyReplyDirectives, hasChannelData, mergeMediaUrls, withMedia } from "./payloads.ts";
import { mayHoldControlText } from "./suspicion.ts";
import { withoutSentTexts } from "./sent-texts.ts";
import { isStrictlySilent } from "./silent.ts";
import { removeSpecialTokens } from "./special-tokens.ts";
import { removeReasoning, shouldSuppressReasoningPayload, unwrapFinal } from "./reasoning.ts";

/** What the steps know of the turn. */
export interface ShapeContext {
  /** The message that started the turn, for `[[reply_to_current]]`. */
  readonly currentMessageId?: string;
  readonly silentToken: string;
  /** By `strict` the token at either end silences the whole text; else only alone. */
  readonly silence?: SilenceRule;
  /** The line that stood before the person's words in the prompt; a model may echo it. */
  readonly speaker?: string;
  /**
   * Where a media target may be read from, or null when it is refused. The look-up on disk was made before, so that shaping stays
   * pure. For a target that it returned itself it returns the same again.
   */
  mediaAllowed(url: string): string | null;
  /** Texts that tools of this turn sent to this conversation. */
  readonly sent?: readonly string[];
  /** What stands before the text, its variables filled in; absent when it stood before an earlier one already. */
  readonly prefix?: string | undefined;
  /** Set in a heartbeat run: a remainder of at most so many code points beside the token is an acknowledgement. */
  readonly heartbeatAckMaxChars?: number;
}

/** One thing that shaping does. Pure: payload in, payload out, or null when nothing is to be sent. */
export interface ShapeStep {
  readonly name: string;
  /** Why, when the step says null. Shown by `explain`. */
  readonly why: string;
  run(payload: ReplyPayload, context: ShapeContext): ReplyPayload | null;
}

export type Shaped = { readonly payload: ReplyPayload } | { readonly dropped: true; readonly by: string; readonly why: string };

/** What stands in a reply for a media target that was refused. */
export const REFUSED_MEDIA_TEXT = "(file not available)";

const PASSES = 4;

const withoutReasoning = (text: string): string =>
  mayHoldControlText(text, []) ? unwrapFinal(removeReasoning(removeSpecialTokens(text))) : text;

const reasoning: ShapeStep = {
  name: "reasoning",
  why: "it was the model's reasoning",
  run: (payload) => (shouldSuppressReasoningPayload(payload) ? null : withText(payload, withoutReasoning)),
};

const leakedMarkup: ShapeStep = {
  name: "leaked-markup",
  why: "it was a tool call written as text",
  run: (payload, { speaker }) => withText(payload, (text) => removeEchoes(removeLeakedMarkup(text), speaker)),
};

const heartbeat: ShapeStep = {
  name: "heartbeat",
  why: "it only acknowledged a heartbeat",
  run(payload, { heartbeatAckMaxChars: maxAckChars }) {
    const stripped = stripHeartbeatToken(payload.text ?? "", maxAckChars === undefined ? {} : { mode: "heartbeat", maxAckChars });
    if (!stripped.didStrip) return payload;
    if (stripped.shouldSkip && !hasMedia(payload) && !hasChannelData(payload)) return null;
    return { ...payload, text: stripped.text };
  },
};

const directives: ShapeStep = {
  name: "directives",
  why: "the agent chose to stay silent",
  run(payload, { currentMessageId, silentToken, silence }) {
    const applied = applyReplyDirectives(payload, { silentToken, ...(currentMessageId === undefined ? {} : { currentMessageId }) });
    if (silence !== "strict" || applied === undefined || !isStrictlySilent(payload.text ?? "", silentToken)) return applied ?? null;
    return hasMedia(applied) || hasChannelData(applied) ? { ...applied, text: "" } : null;
  },
};

const mediaPolicy: ShapeStep = {
  name: "media-policy",
  why: "its media were refused",
  run(payload, context) {
    const media = mergeMediaUrls(payload.mediaUrls, payload.mediaUrl);
    const resolved = media.map((url) => context.mediaAllowed(url));
    const allowed = mergeMediaUrls(resolved.flatMap((url) => url ?? []));
    const refusals = resolved.filter((url) => url === null).map(() => REFUSED_MEDIA_TEXT);
    if (refusals.length === 0) return withMedia(payload, allowed);
    const lines = (payload.text ?? "").trim() === "" ? refusals : [payload.text, ...refusals];
    return { ...withMedia(payload, allowed), text: lines.join("\n") };
  },
};

const alreadySent: ShapeStep = {
  name: "already-sent",
  why: "a tool had sent it to this conversation already",
  run(payload, { sent = [] }) {
    const text = payload.text ?? "";
    if (sent.length === 0 || text.trim() === "") return payload;
    const rest = withoutSentTexts(text, sent);
    if (rest.trim() === "" && !hasMedia(payload) && !hasChannelData(payload)) return null;
    return rest === text ? payload : { ...payload, text: rest };
  },
};

const prefix: ShapeStep = {
  name: "prefix",
  why: "it was nothing but a prefix",
  run: (payload, { prefix: text }) =>
    text === undefined || payload.isError === true ? payload : withText(payload, (said) => withPrefix(text, said)),
};

const empty: ShapeStep = {
  name: "empty",
  why: "nothing was left to send",
  run: (payload) => ((payload.text ?? "").trim() !== "" || hasMedia(payload) || hasChannelData(payload) ? payload : null),
};

/** Everything that happens to a reply before it is composed for a channel, in this order. */
export const SHAPE_STEPS: readonly ShapeStep[] = [reasoning, leakedMarkup, heartbeat, directives, mediaPolicy, alreadySent, prefix, empty];

/** What is left to do for a text that holds nothing to look for. */
const PLAIN_STEPS: readonly ShapeStep[] = SHAPE_STEPS.filter((step) => step !== leakedMarkup && step !== heartbeat);

function isPlain(text: string, { silentToken, speaker }: ShapeContext): boolean {
  return !mayHoldControlText(text, [silentToken, HEARTBEAT_TOKEN]) && (speaker === undefined || !text.startsWith(speaker));
}

/**
 * Runs the steps over one reply. A removal can bring two halves of a tag together, so the list runs until the text rests, a
 * bounded number of times; the guard has the last word. Shaping a shaped payload changes nothing.
 */
export function shapeReply(payload: ReplyPayload, context: ShapeContext): Shaped {
  const settled = new Set<string>();
  const once: ShapeContext = { ...context, mediaAllowed: (url) => (settled.has(url) ? url : resolveOnce(url, context, settled)) };
  let current = payload;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const before = current.text;
    const plain = isPlain(before ?? "", context);
    for (const step of plain ? PLAIN_STEPS : SHAPE_STEPS) {
      const next = step.run(current, once);
      if (next === null) return { dropped: true, by: step.name, why: step.why };
      current = next;
    }
    if (current.text === before) break;
  }
  const { text, acted } = guardControlText(current.text ?? "", context);
  if (!acted) return { payload: current };
  const guarded = empty.run({ ...current, text }, once);
  return guarded === null ? { dropped: true, by: empty.name, why: empty.why } : { payload: guarded };
}

function resolveOnce(url: string, context: ShapeContext, settled: Set<string>): string | null {
  const resolved = context.mediaAllowed(url);
  if (resolved !== null) settled.add(resolved);
  return resolved;
}

/** A block of Markdown begins on a line of its own, or it is none. */
const BLOCK_START = /^[ \t]*(?:```|~~~|#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|>|\|)|^(?: {4}|\t)/;

/** The text behind its prefix, joined by one space unless the prefix ends in white space. Not twice. Pure. */
export function withPrefix(prefix: string, text: string): string {
  if (prefix.trim() === "" || text.trim() === "" || text.startsWith(prefix.trim())) return text;
  if (BLOCK_START.test(text)) return `${prefix.trimEnd()}\n\n${text}`;
  return /\s$/.test(prefix) ? prefix + text : `${prefix} ${text}`;
}

function withText(payload: ReplyPayload, change: (text: string) => string): ReplyPayload {
  if (payload.text === undefined) return payload;
  const text = change(payload.text);
  return text === payload.text ? payload : { ...payload, text };
}

function hasMedia(payload: ReplyPayload): boolean {
  return mergeMediaUrls(payload.mediaUrls, payload.mediaUrl).length > 0;
}
