import type { MediaKind } from "@trunkline/plugin-sdk";

/** What the server and the page say to each other. All of it is JSON; times are ms UTC. */

/** A message of the person, as every tab shows it. */
export interface InboundWire {
  readonly direction: "in";
  /** The client id that the page made. */
  readonly id: string;
  readonly text: string;
  readonly at: number;
  readonly media?: readonly WireMedia[];
}

/** A message of the agent. */
export interface OutboundWire {
  readonly direction: "out";
  /** The part's key: one key is one message, however often it arrives. */
  readonly id: string;
  /** A safe HTML fragment. */
  readonly html: string;
  readonly plain: string;
  readonly at: number;
  /** The turn whose preview this message takes the place of. */
  readonly turn?: string;
  readonly replyTo?: string;
  readonly media?: readonly WireMedia[];
  /** Rows of buttons. */
  readonly buttons?: readonly (readonly WireButton[])[];
}

/** A button. One with an address is a link; the others are pressed by their number, once for a message. */
export interface WireButton {
  readonly n: number;
  readonly text: string;
  readonly url?: string;
}

/** A conversation in a visitor's list. The title is empty until something was said. */
export interface ListedConversation {
  readonly id: string;
  readonly title: string;
}

/** What was done to the agent's messages, by their ids: the reaction, and the number of the pressed button. */
export interface MarksWire {
  readonly reactions: Readonly<Record<string, string>>;
  readonly pressed: Readonly<Record<string, number>>;
}

/** A file to fetch, relative to the page. */
export interface WireMedia {
  readonly url: string;
  readonly kind: MediaKind;
  readonly name: string;
  readonly mimeType: string;
  /** Bytes, where they are known. */
  readonly size?: number;
}

export type WireMessage = InboundWire | OutboundWire;

/** The growing answer of a turn; an empty text takes it away. */
export interface PreviewWire {
  readonly turn: string;
  readonly html: string;
}

/** Events of the stream by name. `message` and `echo` are numbered and resumable, the others are passing. */
export interface WireEvents {
  /** Everything at once: for a new tab, or one whose last event is no longer known here. */
  readonly snapshot: SnapshotWire;
  /** The first event of a resumed stream: no preview is left; what was missed follows. */
  readonly resume: Record<string, never>;
  readonly message: OutboundWire;
  readonly echo: InboundWire;
  readonly typing: Record<string, never>;
  readonly preview: PreviewWire;
  /** Marks that changed; an empty reaction was taken away. */
  readonly marks: Partial<MarksWire>;
  /** The visitor's list, in every tab. */
  readonly conversations: { readonly list: readonly ListedConversation[] };
  /** Something was said in a conversation of the visitor, in every tab. */
  readonly activity: { readonly c: string };
}

/** A conversation as a tab first sees it. */
export interface SnapshotWire {
  readonly messages: readonly WireMessage[];
  /** There are older messages; `GET web/history` has them. */
  readonly more: boolean;
  readonly preview: PreviewWire | null;
  readonly marks: MarksWire;
}

const encoder = new TextEncoder();

/** One event in the format of `text/event-stream`. JSON has no line ends of its own, so one data line is enough. */
export function frameEvent<Name extends keyof WireEvents>(name: Name, data: WireEvents[Name], id?: string): Uint8Array {
  return encoder.encode(`event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
}

/** A comment, which keeps the connection warm and tells the page that it is alive. */
export const HEARTBEAT: Uint8Array = encoder.encode(": still here\n\n");
