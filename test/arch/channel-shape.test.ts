import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./source-files.ts";

/** A reader who knows one channel package finds everything in the others. */
const PURE = ["index", "render", "conversation"];
const FILES = [...PURE, "inbound", "outbound", "actions", "transport"];

describe.each(readdirSync(join(ROOT, "packages")).filter((name) => name.startsWith("channel-")))("%s", (name) => {
  const has = (file: string): boolean => existsSync(join(ROOT, "packages", name, "src", `${file}.ts`));

  // A channel without a transport only renders: it has the pure files and nothing that pretends to be more.
  it.each(has("transport") ? FILES : PURE)("has %s.ts", (file) => {
    expect(has(file)).toBe(true);
  });

  it("connects exactly when it has a transport", () => {
    const index = readFileSync(join(ROOT, "packages", name, "src", "index.ts"), "utf8");
    expect(/^\s+connect\b/m.test(index)).toBe(has("transport"));
  });

  it("has a README", () => {
    expect(existsSync(join(ROOT, "packages", name, "README.md"))).toBe(true);
  });
});
