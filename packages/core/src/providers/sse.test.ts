import { describe, expect, it } from "vitest";
import { createSseReader } from "./sse.ts";

describe("reading server-sent events", () => {
  it("joins the lines of an event and knows its name", () => {
    const reader = createSseReader();
    expect(reader.read("event: note\ndata: a\ndata: b\n\n: comment\n\ndata:c\n\n")).toEqual([
      { name: "note", data: "a\nb" },
      { name: undefined, data: "c" },
    ]);
  });

  it("gives an event as soon as its blank line is there, and not before", () => {
    const reader = createSseReader();
    expect(reader.read("data: a\n")).toEqual([]);
    expect(reader.read("\nda")).toEqual([{ name: undefined, data: "a" }]);
    expect(reader.read("ta: b")).toEqual([]);
    expect(reader.end()).toEqual([{ name: undefined, data: "b" }]);
  });

  it("counts what it holds, and forgets what it gave", () => {
    const reader = createSseReader();
    reader.read("data: 12345");
    reader.read("67890");
    expect(reader.held).toBe(16);
    reader.read("\n\ndata");
    expect(reader.held).toBe(4);
  });

  it("counts the lines of an event that never ends, comments between them included", () => {
    const reader = createSseReader();
    for (let line = 0; line < 100; line++) reader.read("data: x\n: y\n");
    expect(reader.held).toBe(1200);
  });

  it("takes a long line in small pieces in linear time", () => {
    const reader = createSseReader();
    const pieces = 300_000;
    for (let piece = 0; piece < pieces; piece++) reader.read("xyz");
    expect(reader.end()).toEqual([]);
    expect(reader.read("data: ok\n\n")).toEqual([{ name: undefined, data: "ok" }]);
  });
});
