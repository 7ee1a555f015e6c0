import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./source-files.ts";

/** A reader who knows one channel package finds everything in the others. */
const FILES = ["index", "render", "conversation", "inbound", "outbound", "actions", "transport"];

describe.each(readdirSync(join(ROOT, "packages")).filter((name) => name.startsWith("channel-")))("%s", (name) => {
  it.each(FILES)("has %s.ts", (file) => {
    expect(existsSync(join(ROOT, "packages", name, "src", `${file}.ts`))).toBe(true);
  });

  it("has a README", () => {
    expect(existsSync(join(ROOT, "packages", name, "README.md"))).toBe(true);
  });
});
