import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../arch/source-files.ts";

/** Folders that hold no page of ours. */
const SKIPPED = new Set(["node_modules", "dist", "data", "coverage", "test-results"]);

/** One Markdown page of the repository. */
export interface Page {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Reads a page by its path from the root. */
export function readPage(path: string): Page {
  return { path, text: readFileSync(join(ROOT, path), "utf8") };
}

/** All Markdown pages, agents' instructions included; hidden, built and installed folders left out. */
export function allPages(folder = ""): readonly Page[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) return [];
    if (entry.isDirectory()) return allPages(path);
    return entry.name.endsWith(".md") ? [readPage(path)] : [];
  });
}

/** README and guides: what users read and copy from. */
export function userPages(): readonly Page[] {
  return [readPage("README.md"), ...allPages("docs/guides")];
}

/** A fenced block, its indentation taken off. */
export interface Fence {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, also those inside list items. */
export function fencesOf({ text }: Page): readonly Fence[] {
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map(([, indent = "", language = "", body = ""]) => ({
    language,
    text: body
      .split("\n")
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
      .join("\n"),
  }));
}

/** The page without its fenced blocks. */
export function proseOf({ text }: Page): string {
  return text.replace(/^( *)```\w*\n.*?^\1```$/gms, "");
}

/** The code spans of a text. */
export function spansOf(prose: string): readonly string[] {
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
}

/** Whether a path from the root is there. */
export function isThere(path: string): boolean {
  return existsSync(join(ROOT, path));
}
