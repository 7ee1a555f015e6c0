import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two texts are equal, in a time that tells nothing about where they differ or how long the secret one is. */
export function equalInConstantTime(given: string, secret: string): boolean {
  return timingSafeEqual(digest(given), digest(secret));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
