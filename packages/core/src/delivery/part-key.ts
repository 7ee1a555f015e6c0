import { createHash } from "node:crypto";

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** Length of a part key. Source: a Discord nonce holds at most 25 characters. */
export const PART_KEY_LENGTH = 25;

/** The stable key of a part: the same turn, message number and part number give the same key, also after a crash. */
export function partKey(turn: string, seq: number, part: number): string {
  return keyOf(`${turn}:${seq}:${part}`);
}

/** The stable key of one of the parts that take the place of another. `piece` counts from 1. */
export function derivedKey(key: string, piece: number): string {
  return keyOf(`${key}/${piece}`);
}

/** The stable key of a turn's preview message. `n` counts from 0: an answer with blocks has one after the other. */
export function previewKey(turn: string, seq: number, n: number): string {
  return keyOf(`${turn}:${seq}:preview:${n}`);
}

function keyOf(text: string): string {
  const digest = createHash("sha256").update(text).digest();
  let key = "";
  let bits = 0;
  let value = 0;
  for (const byte of digest) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5 && key.length < PART_KEY_LENGTH) {
      bits -= 5;
      key += BASE32[(value >>> bits) & 31];
      value &= (1 << bits) - 1;
    }
  }
  return key;
}
