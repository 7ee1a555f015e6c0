import { GatewayError, type Clock, type ModelEvent, type ModelMessage, type ModelProvider, type ModelRequest } from "@trunkline/plugin-sdk";
import { DEFAULT_ANSWER, DEMO_SCRIPT, type DemoEntry } from "./demo-script.ts";

export interface DemoOptions {
  readonly clock: Clock;
  /** Ms between two pieces of an answer, so that streaming can be seen; 0 sends all at once. Default 15. */
  readonly pieceMs?: number;
}

const DEMO_PROVIDER = "demo";
const DEMO_MODEL = "guide";
const CLOCK_TOOL = "now";

/** Pieces of one answer at most: a long answer takes more words at a time, so that it does not take minutes. */
const MOST_PIECES = 150;

/** Longest quotation of the sender's words, in characters. */
const QUOTE_LENGTH = 120;

/** A name with an extension of a kind that people send. */
const FILE_NAME =
  /[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,80}\.(?:png|jpe?g|gif|webp|heic|pdf|txt|md|csv|json|docx?|xlsx?|pptx?|zip|mp3|ogg|m4a|wav|mp4|mov)\b/giu;

/**
 * The built-in provider `demo` with the model `guide`: needs no key and no network, and says that it is a script.
 * The same conversation always gets the same answer. Another model name throws MODEL_UNKNOWN.
 */
export function createDemoProvider(options: DemoOptions): ModelProvider {
  return {
    id: DEMO_PROVIDER,
    stream: (request) => play(request, options),
    // It looks at nothing but the kind of an image; being told of it as an image shows that images arrive.
    about: (model) => (model === DEMO_MODEL ? { thinking: [], input: ["text", "image"], price: { input: 0, output: 0 } } : undefined),
  };
}

async function* play(request: ModelRequest, { clock, pieceMs = 15 }: DemoOptions): AsyncGenerator<ModelEvent> {
  request.signal.throwIfAborted();
  if (request.model !== DEMO_MODEL) {
    throw new GatewayError("MODEL_UNKNOWN", {
      detail: { model: `${DEMO_PROVIDER}/${request.model}` },
      hint: `The demo has one model: ${DEMO_PROVIDER}/${DEMO_MODEL}.`,
    });
  }
  const answer = decideAnswer(request);
  if (answer === "call") {
    yield { type: "tool-call", call: { id: `demo_${request.messages.length}`, name: CLOCK_TOOL, args: "{}" } };
    yield { type: "end", reason: "tool-calls", usage: toUsage(request, "") };
    return;
  }
  let first = true;
  for (const delta of toPieces(answer)) {
    if (!first && pieceMs > 0) await clock.sleep(pieceMs, request.signal);
    request.signal.throwIfAborted();
    first = false;
    yield { type: "text", delta };
  }
  yield { type: "end", reason: "stop", usage: toUsage(request, answer) };
}

/** The text of the answer, or `call` when the clock has to be asked first. */
function decideAnswer(request: ModelRequest): string {
  const last = request.messages.at(-1);
  if (last?.role === "tool" && last.name === CLOCK_TOOL) return describeClock(last);
  const asked = request.messages.findLast((message) => message.role === "user");
  const text = asked?.text ?? "";
  const entry = findEntry(text) ?? (hasFiles(asked) ? DEMO_SCRIPT.find(({ word }) => word === "image") : undefined);
  if (entry === undefined) return fill(DEFAULT_ANSWER, request, text);
  if ("text" in entry.answer) return fill(entry.answer.text, request, text);
  switch (entry.answer.act) {
    case "fail":
      throw new GatewayError("MODEL_OVERLOADED", {
        detail: { provider: DEMO_PROVIDER, model: `${DEMO_PROVIDER}/${DEMO_MODEL}` },
        hint: "You asked the demo for an error, and this is how one looks.",
      });
    case "files":
      return describeFiles(asked);
    case "tool":
      return request.tools.some(({ name }) => name === CLOCK_TOOL)
        ? "call"
        : `I would ask the tool \`${CLOCK_TOOL}\` for the time, but this agent may not use it. Allow it with \`tools.allow\` in the configuration.`;
  }
}

/** Lines that the prompt puts around a person's words: who speaks, what they reply to, which files came along. */
const FRAME = /^(?:.{1,200} says:|\(in reply to: .*\)|\(attached file: .*\))$/gm;

function findEntry(text: string): DemoEntry | undefined {
  const said = text.replace(FRAME, "").toLowerCase();
  const words = said.split(/\s+/).filter((word) => word !== "").length;
  return DEMO_SCRIPT.find((entry) => words <= (entry.maxWords ?? Infinity) && entry.pattern.test(said));
}

function describeClock(result: ModelMessage & { role: "tool" }): string {
  if (result.isError === true) return `I asked the tool \`${CLOCK_TOOL}\`, and it failed: ${result.text}`;
  return `I asked the tool \`${CLOCK_TOOL}\`, and it says: **${result.text.trim()}**\n\nThat was a real tool call: the script asked for it, the gateway ran it, and the script got the result.`;
}

function hasFiles(message: (ModelMessage & { role: "user" }) | undefined): boolean {
  return message !== undefined && ((message.images?.length ?? 0) > 0 || namesOf(message.text).length > 0);
}

function namesOf(text: string): readonly string[] {
  return [...new Set(text.match(FILE_NAME) ?? [])].slice(0, 10);
}

function describeFiles(message: (ModelMessage & { role: "user" }) | undefined): string {
  const images = message?.images ?? [];
  const names = namesOf(message?.text ?? "");
  if (images.length === 0 && names.length === 0)
    return "Send me a picture or a file, and I will tell you its name and kind. I cannot look inside: I am a scripted demo, not an AI model.";
  const kinds = images.map(({ mimeType, base64 }) => `${mimeType}, about ${Math.max(1, Math.round((base64.length * 3) / 4 / 1024))} kB`);
  const lines = [...names.map((name) => `- file \`${name}\``), ...kinds.map((kind) => `- image (${kind})`)];
  return `This arrived with your message:\n\n${lines.join("\n")}\n\nI cannot look inside: I am a scripted demo, not an AI model.`;
}

function fill(template: string, request: ModelRequest, text: string): string {
  const values: Readonly<Record<string, string>> = {
    list: DEMO_SCRIPT.filter(({ shows }) => shows !== "")
      .map(({ word, shows }) => `- \`${word}\`: ${shows}`)
      .join("\n"),
    ordinal: toOrdinal(request.messages.filter(({ role }) => role === "user").length),
    said: quote(text.replace(FRAME, "")),
  };
  return template.replace(/\{(list|ordinal|said)\}/g, (_whole, name: string) => values[name] ?? "");
}

/** The words as one short line, without anything that would format. */
function quote(text: string): string {
  const line = text.replace(/[\s`*_~[\]<>|#\\]+/g, " ").trim();
  const characters = Array.from(line.slice(0, QUOTE_LENGTH * 2));
  return characters.length > QUOTE_LENGTH ? `${characters.slice(0, QUOTE_LENGTH).join("")}…` : characters.join("");
}

/** 1st, 2nd, 3rd, 4th, 11th, 21st. */
function toOrdinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13;
  return `${count}${teen ? "th" : (["th", "st", "nd", "rd"][count % 10] ?? "th")}`;
}

/** Pieces of whole words with the white space before them; joined they are the text. */
function toPieces(text: string): readonly string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
  const each = Math.max(1, Math.ceil(words.length / MOST_PIECES));
  const pieces: string[] = [];
  for (let at = 0; at < words.length; at += each) pieces.push(words.slice(at, at + each).join(""));
  return pieces;
}

/** Counts words, since a script has no tokens. */
function toUsage(request: ModelRequest, answer: string): { inputTokens: number; outputTokens: number } {
  const count = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;
  return { inputTokens: request.messages.reduce((sum, { text }) => sum + count(text), 0), outputTokens: count(answer) };
}
