import type { CodeMarks, MarkdownStyle, MarkingRules } from "@trunkline/plugin-sdk";

/** A range of text with what is written before and after it. */
export interface Marked {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
  readonly style?: MarkdownStyle;
  /** For a link: whether its text is a label or the URL itself. */
  readonly link?: "label" | "url";
}

/** Spans that can be marked where they stand, and what is written between the markers and their neighbours. */
export interface Settled {
  readonly spans: readonly Marked[];
  /** By position; written behind what closes there and before what opens. */
  readonly glue: ReadonlyMap<number, string>;
}

/** The spans that begin or end at one position, from the outermost to the innermost. */
interface Place {
  readonly opening: number[];
  readonly closing: number[];
}

interface Rules {
  readonly border?: MarkingRules["border"];
  readonly code?: CodeMarks;
}

/**
 * Asks the border rule about every end of every span that touches something outside, and drops those that cannot be marked there. Dropping
 * one bares what was inside it, so its ends are looked at again. Each span is dropped once, so the work is linear.
 */
export function settleBorders(text: string, marked: readonly Marked[], rules: Rules): Settled {
  const spans: (Marked | undefined)[] = [...marked];
  const places = placesOf(marked);
  const glue = new Map<number, string>();
  const freed = new Set<number>();
  const waiting = [...places.keys()];
  while (waiting.length > 0) {
    const at = waiting.pop() as number;
    const answer = settlePlace(at);
    if (answer === "") glue.delete(at);
    else glue.set(at, answer);
  }
  return { spans: spans.filter((span) => span !== undefined), glue };

  /** What stands between the markers at a position, after those are gone that cannot stand there. */
  function settlePlace(at: number): string {
    const { opening, closing } = places.get(at) as Place;
    for (;;) {
      const closes = closing.find((index) => isMarking(spans[index]));
      const opens = opening.find((index) => isMarking(spans[index]));
      const after = ask(closes, "after", opens === undefined ? undefined : spans[opens]?.open, charAfter(text, at));
      if (after === undefined) {
        drop(closes as number, at);
        continue;
      }
      const before = ask(opens, "before", closes === undefined ? undefined : spans[closes]?.close, charBefore(text, at));
      if (before !== undefined) return after === "" ? before : after;
      drop(opens as number, at);
    }
  }

  function ask(index: number | undefined, side: "before" | "after", marker: string | undefined, character: string): string | undefined {
    const span = index === undefined ? undefined : spans[index];
    if (index === undefined || span?.style === undefined || freed.has(index) || rules.border === undefined) return "";
    const outside = marker === undefined ? character : side === "before" ? marker.slice(-1) : marker.slice(0, 1);
    return rules.border({
      side,
      style: span.style,
      marker: side === "before" ? span.open : span.close,
      outside,
      isMarker: marker !== undefined,
      content: text.slice(span.start, span.end),
    });
  }

  /** Takes a span away, or gives code the markers that may stand anywhere. */
  function drop(index: number, at: number): void {
    const span = spans[index] as Marked;
    if (span.style === "code" && rules.code !== undefined) {
      freed.add(index);
      spans[index] = { ...span, ...rules.code.inline(text.slice(span.start, span.end), true) };
    } else spans[index] = undefined;
    waiting.push(span.start === at ? span.end : span.start);
  }
}

function isMarking(span: Marked | undefined): boolean {
  return span !== undefined && (span.open !== "" || span.close !== "");
}

function placesOf(spans: readonly Marked[]): Map<number, Place> {
  const places = new Map<number, Place>();
  const placeAt = (at: number): Place => {
    const known = places.get(at);
    if (known !== undefined) return known;
    const made = { opening: [], closing: [] };
    places.set(at, made);
    return made;
  };
  // In the order of opening, an outer span comes first; so it does at both of its ends.
  spans.forEach((span, index) => {
    placeAt(span.start).opening.push(index);
    placeAt(span.end).closing.push(index);
  });
  return places;
}

/** The character that ends before `at`; empty at the start of a line. */
function charBefore(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  const character = low >= 0xdc00 && low <= 0xdfff ? text.slice(Math.max(0, at - 2), at) : text.slice(Math.max(0, at - 1), at);
  return character === "\n" ? "" : character;
}

/** The character that begins at `at`; empty at the end of a line. */
function charAfter(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined || code === 0x0a ? "" : String.fromCodePoint(code);
}
