import { seededRandom } from "../../support/random.ts";
import type { Point } from "./gateway-child.ts";

/** Draws `count` of the points, the same ones for the same seed. */
export function samplePoints(points: readonly Point[], count: number, seed: number): readonly Point[] {
  const random = seededRandom(seed);
  const drawn = new Set<number>();
  while (drawn.size < Math.min(count, points.length)) drawn.add(Math.floor(random() * points.length));
  return [...drawn].sort((a, b) => a - b).map((place) => points[place]!);
}
