import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { allPages, isThere, type Page, proseOf, readPage } from "./pages.ts";

interface Link {
  /** Path from the root; the page itself for a bare `#anchor`. */
  readonly path: string;
  readonly anchor: string;
  readonly written: string;
}

/** Links to other places of the repository: code spans and addresses with a scheme left out. */
function linksOf(page: Page): readonly Link[] {
  const prose = proseOf(page).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, written = ""]) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(written)) return [];
    const [target = "", anchor = ""] = written.split("#");
    return [{ path: target === "" ? page.path : normalize(join(dirname(page.path), target)), anchor, written }];
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf({ text }: Page): readonly string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}

describe.each(allPages())("$path", (page) => {
  it("links to nothing that is not there", () => {
    expect(
      linksOf(page)
        .filter(({ path }) => path.startsWith("..") || !isThere(path))
        .map(({ written }) => written),
    ).toEqual([]);
  });

  it("links to headings that are there", () => {
    const anchored = linksOf(page).filter(({ path, anchor }) => anchor !== "" && path.endsWith(".md") && isThere(path));
    expect(anchored.filter(({ path, anchor }) => !anchorsOf(readPage(path)).includes(anchor)).map(({ written }) => written)).toEqual([]);
  });
});

describe("README.md", () => {
  it("leads to every page for users and contributors", () => {
    const linked = linksOf(readPage("README.md")).map(({ path }) => path);
    const pages = allPages().filter(({ path }) => /^(?:[A-Z]+\.md|docs\/(?:guides\/)?[\w-]+\.md)$/.test(path) && path !== "README.md");
    expect(pages.map(({ path }) => path).filter((path) => !linked.includes(path))).toEqual([]);
  });
});
