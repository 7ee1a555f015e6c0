import { createParser } from "eventsource-parser";

/** One server-sent event. */
export interface SseEvent {
  readonly name: string | undefined;
  readonly data: string;
}

/** Cuts a text/event-stream into events, however the text arrives. */
export interface SseReader {
  /** The events that this piece of text completes. */
  read(text: string): readonly SseEvent[];
  /** The last event, when the stream ended without the blank line that should close it. */
  end(): readonly SseEvent[];
  /** Characters held for an event that is not complete yet; the caller bounds it. */
  readonly held: number;
}

/**
 * Creates a reader on eventsource-parser; the only file that imports it.
 * Text is kept here until a line end arrives, since the parser scans an unfinished line again with every piece,
 * which takes quadratic time on a server that sends one long line byte by byte.
 */
export function createSseReader(): SseReader {
  let events: SseEvent[] = [];
  let unfinished: string[] = [];
  let held = 0;
  const parser = createParser({
    onEvent(event) {
      events.push({ name: event.event, data: event.data });
      held = 0;
    },
  });
  const feed = (text: string): readonly SseEvent[] => {
    events = [];
    parser.feed(text);
    return events;
  };
  return {
    get held() {
      return held;
    },
    read(text) {
      held += text.length;
      const cut = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      if (cut === 0) {
        unfinished.push(text);
        return [];
      }
      const complete = unfinished.join("") + text.slice(0, cut);
      const rest = text.slice(cut);
      unfinished = rest === "" ? [] : [rest];
      const found = feed(complete);
      if (found.length > 0) held = rest.length;
      return found;
    },
    end() {
      const rest = unfinished.join("");
      unfinished = [];
      return feed(`${rest}\n\n`);
    },
  };
}
