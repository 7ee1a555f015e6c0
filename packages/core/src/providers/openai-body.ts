import { StringDecoder } from "node:string_decoder";
import type { WireAnswer } from "./openai-wire.ts";
import { createSseReader, type SseEvent } from "./sse.ts";

/** What a body turned out to be: pieces of an answer, the mark of its end, an error object, or something else. */
export type BodyItem =
  | { readonly type: "piece"; readonly piece: WireAnswer }
  | { readonly type: "done" }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "unreadable"; readonly reason: string; readonly body?: string };

/** Reads the body of a 2xx answer. */
export interface BodyReader {
  read(chunk: Buffer): readonly BodyItem[];
  /** What is left when the body has ended. Half an event or half a JSON text is no item. */
  end(): readonly BodyItem[];
  /** Whether the body was one JSON text instead of a stream; such an answer is whole even without a finish reason. */
  readonly plain: boolean;
}

/** Longest single event, and longest answer that is not streamed, in characters. */
const ITEM_LIMIT = 2 * 1024 * 1024;

/**
 * Creates a reader that looks at the first character, not at the content type: servers label streams as JSON and plain
 * text, and answer a streamed request with one JSON text.
 */
export function createBodyReader(): BodyReader {
  const decoder = new StringDecoder("utf8");
  const events = createSseReader();
  let kind: "stream" | "json" | undefined;
  let start = "";
  let parts: string[] = [];
  let size = 0;

  const take = (text: string): readonly BodyItem[] => {
    if (kind === undefined) {
      start = (start + text).trimStart().replace(/^\uFEFF\s*/, "");
      if (start === "") return [];
      if (start.startsWith("<")) return [{ type: "unreadable", reason: "a web page instead of an answer", body: start }];
      kind = start.startsWith("{") || start.startsWith("[") ? "json" : "stream";
      text = start;
    }
    if (kind === "stream") {
      const items = events.read(text).flatMap(toItem);
      return events.held > ITEM_LIMIT ? [...items, { type: "unreadable", reason: "an event of more than 2 MB" }] : items;
    }
    parts.push(text);
    size += text.length;
    return size > ITEM_LIMIT ? [{ type: "unreadable", reason: "an answer of more than 2 MB" }] : [];
  };
  return {
    get plain() {
      return kind === "json";
    },
    read: (chunk) => take(decoder.write(chunk)),
    end() {
      const items = take(decoder.end());
      if (kind === "stream")
        return [...items, ...events.end().flatMap((event) => toItem(event).filter((item) => item.type !== "unreadable"))];
      if (kind === undefined) return items;
      const text = parts.join("");
      parts = [];
      const value = parse(text);
      return value === undefined
        ? items
        : [...items, toPiece(value, undefined) ?? { type: "unreadable", reason: "JSON that is not an answer", body: text }];
    },
  };
}

function toItem(event: SseEvent): readonly BodyItem[] {
  const data = event.data.trim();
  if (data === "") return [];
  if (data === "[DONE]") return [{ type: "done" }];
  const value = parse(data);
  if (value === undefined) return [{ type: "unreadable", reason: "an event that is not JSON" }];
  // Something else, like a ping or a provider's own event, is none of our business.
  const item = toPiece(value, event.name);
  return item === undefined ? [] : [item];
}

function toPiece(value: unknown, eventName: string | undefined): BodyItem | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { error, choices, usage, object } = value as WireAnswer & { object?: unknown };
  if (typeof error === "string" || (typeof error === "object" && error !== null)) return { type: "error", error };
  if (object === "error" || eventName === "error") return { type: "error", error: value };
  return choices === undefined && usage === undefined ? undefined : { type: "piece", piece: value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
