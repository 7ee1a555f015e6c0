import { describe, expect, it } from "vitest";
import { webProfile } from "./render.ts";

describe("webProfile", () => {
  it("is one HTML fragment of any length with real tables", () => {
    expect(webProfile).toMatchObject({ output: "html", limit: null, tableMode: "native" });
  });

  it("links to web and mail only", () => {
    expect(webProfile.link.schemes).toEqual(["http", "https", "mailto"]);
  });
});
