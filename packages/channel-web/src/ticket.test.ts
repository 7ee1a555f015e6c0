import { describe, expect, it } from "vitest";
import { mediaIdOf, mediaRef, openTicket, sealTicket } from "./ticket.ts";

const upload = { id: "a".repeat(64), size: 3, kind: "document", mimeType: "text/plain", fileName: "näme.txt" } as const;

describe("a ticket", () => {
  it("gives its own visitor the upload back, and nobody else", () => {
    const ticket = sealTicket(upload, "ann", "key");
    expect(openTicket(ticket, "ann", "key")).toEqual(upload);
    expect(openTicket(ticket, "bob", "key")).toBeUndefined();
    expect(openTicket(ticket, "ann", "other key")).toBeUndefined();
  });

  it("is worth nothing once a character is changed", () => {
    const ticket = sealTicket(upload, "ann", "key");
    for (let at = 0; at < ticket.length; at += 1) {
      const forged = ticket.slice(0, at) + (ticket[at] === "A" ? "B" : "A") + ticket.slice(at + 1);
      expect(openTicket(forged, "ann", "key"), forged).toBeUndefined();
    }
    for (const none of ["", ".", "a.b", "x".repeat(5000)]) expect(openTicket(none, "ann", "key")).toBeUndefined();
  });

  it("becomes a medium that this channel finds again", () => {
    expect(mediaIdOf(mediaRef(upload))).toBe(upload.id);
    expect(mediaIdOf({ kind: "image", url: "https://example.org/x" })).toBeUndefined();
  });
});
