import type { WireEntity } from "../wire.ts";
import { endOf, isQuote, isSplittable, sortEntities } from "./entity-kinds.ts";

// Top-level domains that make a bare name a link. The server knows all of them; these are the ones that texts of a bot have.
const DOMAINS =
  "com|org|net|edu|gov|io|dev|ai|app|co|me|md|sh|rs|py|so|to|tv|us|uk|de|fr|es|it|nl|eu|ru|ua|in|cn|jp|br|info|biz|xyz|cloud|online|site";

const PATTERNS: readonly { type: string; pattern: RegExp }[] = [
  // Source: td MessageEntity.cpp, `match_mentions`, `match_bot_commands`, `match_hashtags`, `match_cashtags`.
  { type: "url", pattern: /(?:https?|ftp|tg|ton|tonsite):\/\/[^\s<>"«»]+/giu },
  { type: "email", pattern: /[\p{L}\p{N}._%+-]+@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}/gu },
  {
    type: "url",
    pattern: new RegExp(`(?<![\\p{L}\\p{N}_@.-])(?:[\\p{L}\\p{N}-]+\\.)+(?:${DOMAINS})(?![\\p{L}\\p{N}_-])(?:[/?#][^\\s<>"«»]*)?`, "giu"),
  },
  { type: "bot_command", pattern: /(?<![\p{L}\p{N}_/<>])\/[a-z0-9_]{1,64}(?:@[a-z0-9_]{3,32})?(?![\p{L}\p{N}_/<>])/giu },
  { type: "mention", pattern: /(?<![\p{L}\p{N}_@])@[a-z0-9_]{3,32}(?![\p{L}\p{N}_])/giu },
  { type: "hashtag", pattern: /(?<![\p{L}\p{N}_#])#(?=[\p{N}_]*\p{L})[\p{L}\p{N}_]{1,256}/gu },
  { type: "cashtag", pattern: /(?<![\p{L}\p{N}_$])\$[A-Z]{3,8}(?![\p{L}\p{N}_$])/gu },
];

/**
 * Finds what Telegram marks by itself in any text: commands, mentions, links, mail addresses, hashtags.
 * The earlier match wins where two overlap. Phone and card numbers are left out.
 */
export function detectEntities(text: string): WireEntity[] {
  const found = PATTERNS.flatMap(({ type, pattern }) =>
    [...text.matchAll(pattern)].map((match) => ({
      type,
      offset: match.index,
      // A closing full stop or bracket belongs to the sentence, not to the link.
      length: (type === "url" ? match[0].replace(/[.,:;!?)\]}'"]+$/, "") : match[0]).length,
    })),
  );
  let end = 0;
  return sortEntities(found).filter((entity) => {
    if (entity.offset < end) return false;
    end = endOf(entity);
    return true;
  });
}

/** Adds the detected entities that touch no given link, code or mention; given entities always win. */
export function mergeDetected(given: readonly WireEntity[], detected: readonly WireEntity[]): WireEntity[] {
  const solid = given.filter((entity) => !isSplittable(entity.type) && !isQuote(entity.type));
  const free = detected.filter((entity) => !solid.some((other) => other.offset < endOf(entity) && entity.offset < endOf(other)));
  return sortEntities([...given, ...free]);
}
