import type { AccountMemory } from "@trunkline/plugin-sdk";
import { MAIN } from "./conversation.ts";
import type { ListedConversation } from "./wire.ts";

/** Conversations that one visitor may keep. */
export const MAX_CONVERSATIONS = 100;
/** Longest title, in characters. */
export const TITLE_LIMIT = 80;
/** Length of a title that is taken from what was said first. */
const OWN_TITLE = 48;

/** The list of a visitor that has none yet. */
const FIRST: readonly ListedConversation[] = [{ id: MAIN, title: "" }];

/** The conversations of each visitor, the one that was written in last first. What is deleted leaves the list; its messages stay stored. */
export interface ConversationLists {
  of(visitor: string): Promise<readonly ListedConversation[]>;
  /**
   * Notes that the visitor writes in a conversation: it is listed, comes first, and gets its title from the first words. Gives the list
   * when it changed, undefined when it did not, and `full` when there is no room for another one.
   */
  touch(visitor: string, id: string, words: string): Promise<readonly ListedConversation[] | undefined | "full">;
  /** Gives the list when there was such a conversation. An empty title goes back to the one of the first words to come. */
  rename(visitor: string, id: string, title: string): Promise<readonly ListedConversation[] | undefined>;
  remove(visitor: string, id: string): Promise<readonly ListedConversation[] | undefined>;
}

/** Creates the lists of an account; they are kept in its memory, one text for each visitor. */
export function createConversationLists(memory: AccountMemory): ConversationLists {
  const waiting = new Map<string, Promise<unknown>>();
  const nameIn = (visitor: string): string => `conversations:${visitor}`;
  const read = async (visitor: string): Promise<readonly ListedConversation[]> => {
    const text = await memory.get(nameIn(visitor));
    return text === undefined ? FIRST : (JSON.parse(text) as readonly ListedConversation[]); // written below
  };
  /** One change of a visitor's list at a time, so that none undoes another. */
  const inTurn = async <T>(visitor: string, change: () => Promise<T>): Promise<T> => {
    const mine = (waiting.get(visitor) ?? Promise.resolve()).then(change, change);
    waiting.set(visitor, mine);
    try {
      return await mine;
    } finally {
      if (waiting.get(visitor) === mine) waiting.delete(visitor);
    }
  };
  const write = async (visitor: string, list: readonly ListedConversation[]): Promise<readonly ListedConversation[]> => {
    await memory.set(nameIn(visitor), JSON.stringify(list));
    return list;
  };
  return {
    of: read,
    touch: (visitor, id, words) =>
      inTurn(visitor, async () => {
        const list = await read(visitor);
        const next = touched(list, id, words);
        if (next === "full" || next === list) return next === "full" ? next : undefined;
        return write(visitor, next);
      }),
    rename: (visitor, id, title) =>
      inTurn(visitor, async () => {
        const list = await read(visitor);
        if (!list.some((each) => each.id === id)) return undefined;
        return write(
          visitor,
          list.map((each) => (each.id === id ? { id, title: toTitle(title, TITLE_LIMIT) } : each)),
        );
      }),
    remove: (visitor, id) =>
      inTurn(visitor, async () => {
        const list = await read(visitor);
        const rest = list.filter((each) => each.id !== id);
        return rest.length === list.length ? undefined : write(visitor, rest);
      }),
  };
}

/** The list after something was said; the same list when nothing changes. Pure. */
export function touched(list: readonly ListedConversation[], id: string, words: string): readonly ListedConversation[] | "full" {
  const known = list.find((each) => each.id === id);
  if (known === undefined && list.length >= MAX_CONVERSATIONS) return "full";
  // A command says nothing about what is talked of.
  const title = known?.title || (words.startsWith("/") ? "" : toTitle(words, OWN_TITLE));
  if (known !== undefined && list[0] === known && known.title === title) return list;
  return [{ id, title }, ...list.filter((each) => each.id !== id)];
}

/** One line without control or direction characters, cut at a word where there is one near the end. Pure. */
export function toTitle(words: string, limit: number): string {
  const line = words
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/^[\s#>*`_-]+/, "")
    .trim();
  const characters = Array.from(line);
  if (characters.length <= limit) return line;
  const cut = characters.slice(0, limit - 1).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > limit / 2 ? cut.slice(0, space) : cut}…`;
}
