import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const DIST = fileURLToPath(new URL("../../packages/gateway/dist/", import.meta.url));

/** The files of the built command. */
function files(): readonly string[] {
  const chunks = readdirSync(join(DIST, "chunks")).map((name) => join(DIST, "chunks", name));
  return [join(DIST, "bin.js"), ...chunks].map((file) => readFileSync(file, "utf8"));
}

describe("the built command", () => {
  it("holds no second copy of the contracts, so that a plugin's tokens are the gateway's", () => {
    const code = files();
    expect(code.some((text) => /from "@trunkline\/plugin-sdk"/.test(text))).toBe(true);
    expect(code.filter((text) => text.includes("class GatewayError"))).toEqual([]);
  });

  it("brings the page of the web chat along", () => {
    expect(readdirSync(join(DIST, "public"))).toContain("index.html");
  });
});
