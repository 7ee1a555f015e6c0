import type { AccountMemory } from "@trunkline/plugin-sdk";
import type { MarksWire } from "./wire.ts";

/** Marks of each kind that a conversation keeps; the oldest go first. */
const KEEP = 500;

/** What a visitor did to the agent's messages: reactions, and buttons that were pressed. Shown by every tab, now and later. */
export interface Marks {
  of(room: string): Promise<MarksWire>;
  /** Notes a reaction; an empty one takes it away. */
  react(room: string, message: string, emoji: string): Promise<void>;
  press(room: string, message: string, button: number): Promise<void>;
}

/** Creates the marks of an account; they are kept in its memory, one text for each conversation. */
export function createMarks(memory: AccountMemory): Marks {
  let last: Promise<unknown> = Promise.resolve();
  const nameIn = (room: string): string => `marks:${room}`;
  const read = async (room: string): Promise<MarksWire> => {
    const text = await memory.get(nameIn(room));
    return text === undefined ? { reactions: {}, pressed: {} } : (JSON.parse(text) as MarksWire); // written below
  };
  /** One change at a time: they are as rare as clicks, and each rewrites its text. */
  const change = (room: string, edit: (marks: MarksWire) => MarksWire): Promise<void> => {
    const mine = last.then(async () => memory.set(nameIn(room), JSON.stringify(edit(await read(room)))));
    last = mine.catch(() => {});
    return mine;
  };
  return {
    of: read,
    react: (room, message, emoji) => change(room, (marks) => ({ ...marks, reactions: put(marks.reactions, message, emoji || undefined) })),
    press: (room, message, button) => change(room, (marks) => ({ ...marks, pressed: put(marks.pressed, message, button) })),
  };
}

/** The record with the entry as its newest, at most `KEEP` of them. Pure. */
function put<Value>(record: Readonly<Record<string, Value>>, key: string, value: Value | undefined): Record<string, Value> {
  const others = Object.entries(record).filter(([name]) => name !== key);
  const all = value === undefined ? others : [...others, [key, value] as const];
  return Object.fromEntries(all.slice(-KEEP));
}
