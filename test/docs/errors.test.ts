import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ERROR_CODES } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import { ROOT } from "../arch/source-files.ts";

const PAGE = join(ROOT, "docs", "errors.md");

const FAMILIES: Readonly<Record<string, string>> = {
  CONFIG: "Configuration",
  PLUGIN: "Plugins",
  CHANNEL: "Channels",
  MODEL: "Models",
  TOOL: "Tools",
  DELIVERY: "Delivery",
  STORE: "Store",
  ACCESS: "Access",
  GATEWAY: "Gateway and command line",
};

function errorsPage(): string {
  const sections = Object.entries(FAMILIES).map(([family, title]) => {
    const rows = Object.entries(ERROR_CODES)
      .filter(([code]) => code.startsWith(`${family}_`))
      .map(([code, [message, hint]]) => `| \`${code}\` | ${message} | ${hint} |`);
    return [`## ${title}`, "", "| code | what happened | what to do |", "|---|---|---|", ...rows].join("\n");
  });
  const intro =
    "Every error that Trunkline shows has a code, a sentence and a next step. Words in braces are filled in with what was found.\n" +
    "This page is written from `packages/plugin-sdk/src/error-codes.ts` (`UPDATE_DOCS=1 npm test -- test/docs`); a test keeps both the same.";
  return `# Errors\n\n${intro}\n\n${sections.join("\n\n")}\n`;
}

it("documents exactly the errors that exist, in their own words", () => {
  if (process.env.UPDATE_DOCS === "1") writeFileSync(PAGE, errorsPage());
  expect(readFileSync(PAGE, "utf8")).toBe(errorsPage());
});

it("knows the family of every code", () => {
  const families = new Set(Object.keys(ERROR_CODES).map((code) => code.split("_")[0]));
  expect([...families].toSorted()).toEqual(Object.keys(FAMILIES).toSorted());
});
