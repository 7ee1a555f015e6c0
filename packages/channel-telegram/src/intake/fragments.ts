import type { InboundMessage, MessageFragments } from "@trunkline/plugin-sdk";

/** The apps cut a pasted text into messages of at most this many UTF-16 units. Source: limits.tginfo.me (message text length). */
const LONGEST_TEXT = 4096;

/** They cut where a word or line ends, so that a piece is a little shorter than it could be. */
const NEARLY_FULL = 3900;

/** The next piece of a paste follows within about a second. */
const PASTE_MS = 1500;

/** The messages of an album are sent at once. */
const ALBUM_MS = 1000;

/**
 * How Telegram's apps send one message in several: a text over the limit in pieces with ids that follow each other, and an album as one
 * message for each file, with one `media_group_id` (core.telegram.org/bots/api#message).
 */
export const telegramFragments: MessageFragments = {
  moreWithinMs(message) {
    if (albumOf(message) !== undefined) return ALBUM_MS;
    return isCut(message) ? PASTE_MS : 0;
  },
  follows(previous, next) {
    const album = albumOf(previous);
    if (album !== undefined) return albumOf(next) === album;
    return isCut(previous) && next.media.length === 0 && next.forwarded === undefined && isNextId(previous.id, next.id);
  },
  // A full piece was cut anywhere; a shorter one where a line or word ended, and the white space at its end was taken away.
  between: (previous) => (albumOf(previous) !== undefined || previous.text.length < LONGEST_TEXT ? "\n" : ""),
};

function albumOf(message: InboundMessage): string | undefined {
  const album = message.channelData?.["album"];
  return typeof album === "string" ? album : undefined;
}

function isCut({ text, media, forwarded }: InboundMessage): boolean {
  return text.length >= NEARLY_FULL && media.length === 0 && forwarded === undefined;
}

/** Ids of messages count up within a chat. In a group somebody else's may come between. */
function isNextId(previous: string, next: string): boolean {
  const apart = Number(next) - Number(previous);
  return apart >= 1 && apart <= 3;
}
