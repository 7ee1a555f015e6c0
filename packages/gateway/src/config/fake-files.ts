import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ConfigFiles } from "./files.ts";

/** One section of a fixture: a name, a configuration, and all that a person is told about it. */
export interface Section {
  readonly name: string;
  readonly yaml: string;
  readonly says: string;
}

/** Sections are `=== name`, the YAML, `>>>`, and the lines that are printed. A line `@@ name` begins another file of the same folder. */
export function readSections(url: URL): readonly Section[] {
  const [, ...sections] = readFileSync(url, "utf8").split(/^=== /m);
  return sections.map((section) => {
    const [name = "", rest = ""] = cut(section, "\n");
    const [yaml = "", says = ""] = cut(rest, ">>>\n");
    return { name, yaml, says: says.trimEnd() };
  });
}

/** The files of a section by their names, the main one as trunkline.yaml. */
export function filesOf(yaml: string): ReadonlyMap<string, string> {
  const [main = "", ...others] = yaml.split(/^@@ /m);
  return new Map([["trunkline.yaml", main], ...others.map((text) => cut(text, "\n"))]);
}

/** The files of a section in a folder that is not there. */
export function memoryFiles(yaml: string, folder: string): ConfigFiles {
  const contents = new Map([...filesOf(yaml)].map(([name, text]) => [join(folder, name), text]));
  return {
    read(path) {
      const content = contents.get(path);
      if (content !== undefined) return new TextEncoder().encode(content);
      throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    },
    list: (path) => [...contents.keys()].filter((name) => dirname(name) === path).map((name) => basename(name)),
    mode: () => 0o600,
  };
}

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}
