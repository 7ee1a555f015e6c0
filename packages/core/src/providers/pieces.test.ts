import { describe, expect, it } from "vitest";
import { createPieces } from "./pieces.ts";

const KB = Buffer.alloc(1024);

describe("pieces that wait for their reader", () => {
  it("pause their source when many wait, once, and let it go on when few are left", () => {
    const asked: string[] = [];
    const pieces = createPieces({ pause: () => asked.push("pause"), resume: () => asked.push("resume") });
    for (let count = 0; count < 256; count++) pieces.push(KB);
    expect(asked).toEqual([]);
    for (let count = 0; count < 10; count++) pieces.push(KB);
    expect([asked, pieces.paused]).toEqual([["pause"], true]);
    for (let count = 0; count < 202; count++) pieces.shift();
    expect(asked).toEqual(["pause"]);
    pieces.shift();
    expect([asked, pieces.paused]).toEqual([["pause", "resume"], false]);
    for (let count = 0; count < 63; count++) expect(pieces.shift()).toBe(KB);
    expect(pieces.shift()).toBeUndefined();
  });
});
