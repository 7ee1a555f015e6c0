import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** One source file of a package. */
export interface SourceFile {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  /** `core`, `plugin-sdk`, ... */
  readonly package: string;
  readonly text: string;
  /** Module specifiers of its imports and re-exports, type-only ones and dynamic ones included. */
  readonly imports: readonly string[];
}

/** All TypeScript sources of the packages, tests and their support left out. */
export function sourceFiles(): readonly SourceFile[] {
  return readdirSync(join(ROOT, "packages")).flatMap((name) => {
    const folder = join(ROOT, "packages", name, "src");
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !/(^|[\\/])fake-/.test(path))
      .map((path) => readSource(join(folder, path), name));
  });
}

function readSource(path: string, name: string): SourceFile {
  const text = readFileSync(path, "utf8");
  return { path: relative(ROOT, path).split(sep).join("/"), package: name, text, imports: importsOf(text) };
}

function importsOf(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const specifiers = code.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^"';]*?\bfrom\s*"([^"]+)"|(?:^|\n)\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/g,
  );
  return [...specifiers].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** The path that a relative import means, from the root. */
export function resolveImport(file: SourceFile, specifier: string): string {
  return relative(ROOT, resolve(ROOT, dirname(file.path), specifier))
    .split(sep)
    .join("/");
}
