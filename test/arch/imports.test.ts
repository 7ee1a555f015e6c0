import { describe, expect, it } from "vitest";
import { resolveImport, type SourceFile, sourceFiles } from "./source-files.ts";

const files = sourceFiles();

/** What each package may import of ours. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "plugin-sdk": [],
  core: ["plugin-sdk"],
  "channel-discord": ["plugin-sdk"],
  "channel-slack": ["plugin-sdk"],
  "channel-telegram": ["plugin-sdk"],
  "channel-whatsapp": ["plugin-sdk"],
  "channel-web": ["plugin-sdk"],
  gateway: ["plugin-sdk", "core", "channel-web", "channel-telegram", "channel-discord", "channel-slack", "channel-whatsapp"],
};

/** Third-party libraries and the one place that imports each. A library without a door fails. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  "@ai-sdk/anthropic": ["packages/core/src/providers/ai-sdk/anthropic.ts"],
  "@ai-sdk/google": ["packages/core/src/providers/ai-sdk/google.ts"],
  "@ai-sdk/openai": ["packages/core/src/providers/ai-sdk/openai.ts"],
  // Types only.
  "@ai-sdk/provider": ["packages/core/src/providers/ai-sdk/"],
  "@clack/prompts": ["packages/gateway/src/cli/init/"],
  "@hono/node-server": ["packages/gateway/src/http/"],
  "@photostructure/sqlite": ["packages/core/src/store/"],
  commander: ["packages/gateway/src/cli/main.ts"],
  "eventsource-parser": ["packages/core/src/providers/sse.ts"],
  grammy: ["packages/channel-telegram/src/"],
  "https-proxy-agent": ["packages/channel-telegram/src/api/"],
  hono: ["packages/gateway/src/http/"],
  "ipaddr.js": ["packages/core/src/media/public-address.ts"],
  kysely: ["packages/core/src/store/kysely.ts"],
  "markdown-it": ["packages/core/src/markdown/parse/"],
  "markdown-it-cjk-friendly": ["packages/core/src/markdown/parse/"],
  pg: ["packages/core/src/store/"],
  pino: ["packages/gateway/src/logger.ts"],
  "prom-client": ["packages/gateway/src/metrics/"],
  "reflect-metadata": ["packages/plugin-sdk/src/container.ts"],
  "socks-proxy-agent": ["packages/channel-telegram/src/api/"],
  tsyringe: ["packages/plugin-sdk/src/container.ts"],
  ulid: ["packages/plugin-sdk/src/ids.ts"],
  undici: ["packages/core/src/providers/", "packages/core/src/media/web-files.ts"],
  yaml: ["packages/gateway/src/config/"],
  // A schema is written where what it describes is; zod is the language for that.
  zod: ["packages/"],
};

describe("imports", () => {
  it("keeps the packages apart: each imports only what the architecture allows", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith("@trunkline/"))
        .map((specifier) => specifier.split("/")[1] ?? "")
        .filter((name) => name !== file.package && !MAY_IMPORT[file.package]?.includes(name))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  // Data that operators may edit lies in config/, and is no package.
  it("reaches other packages by their public name, never by a path", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith("."))
        .filter((specifier) => !/^config\/[a-z-]+\.json$/.test(resolveImport(file, specifier)))
        .filter((specifier) => !resolveImport(file, specifier).startsWith(`packages/${file.package}/`))
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import cycle, type-only imports included", () => {
    expect(cycles(files)).toEqual([]);
  });

  it("finds a cycle when there is one", () => {
    const file = (path: string, specifier: string): SourceFile => ({ path, package: "x", text: "", imports: [specifier] });
    expect(cycles([file("packages/x/a.ts", "./b.ts"), file("packages/x/b.ts", "./a.ts")])).toHaveLength(1);
  });

  it("lets each third-party library in through one door", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((specifier) => !specifier.startsWith(".") && !specifier.startsWith("node:") && !specifier.startsWith("@trunkline/"))
        .map((specifier) =>
          specifier
            .split("/")
            .slice(0, specifier.startsWith("@") ? 2 : 1)
            .join("/"),
        )
        .filter((library) => !DOORS[library]?.some((door) => file.path.startsWith(door)))
        .map((library) => `${file.path} imports ${library}`),
    );
    expect(wrong).toEqual([]);
  });

  it("loads the AI SDK's packages with the first call, never with the gateway", () => {
    const atStart = files.filter(
      ({ text }) => /^import (?!type\b)[^;]*from "@ai-sdk\//m.test(text) || /^export [^;]*from "@ai-sdk\//m.test(text),
    );
    expect(atStart.map(({ path }) => path)).toEqual([]);
    expect(files.filter(({ text }) => text.includes('await import("@ai-sdk/')).length).toBe(3);
  });

  it("has no barrel but each package's index, and no export *", () => {
    const barrels = files.filter(
      (file) => file.path.endsWith("/index.ts") && !/^packages\/[^/]+\/src\/(testing\/)?index\.ts$/.test(file.path),
    );
    expect(barrels.map((file) => file.path)).toEqual([]);
    // The SDK's index passes on the types of its render contract as they are.
    const stars = files.filter(
      (file) => /^export \*/m.test(file.text) || (/^export type \*/m.test(file.text) && file.path !== "packages/plugin-sdk/src/index.ts"),
    );
    expect(stars.map((file) => file.path)).toEqual([]);
  });
});

/** Strongly connected components of the import graph with more than one file (Tarjan). */
function cycles(all: readonly SourceFile[]): readonly (readonly string[])[] {
  const byPath = new Map(all.map((file) => [file.path, file]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    index.set(path, index.size);
    low.set(path, index.get(path)!);
    stack.push(path);
    const file = byPath.get(path)!;
    for (const next of file.imports.filter((specifier) => specifier.startsWith(".")).map((specifier) => resolveImport(file, specifier))) {
      if (!byPath.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path)!, low.get(next)!));
    }
    if (low.get(path) !== index.get(path)) return;
    const component = stack.splice(stack.indexOf(path));
    if (component.length > 1) found.push(component);
  };
  for (const path of byPath.keys()) if (!index.has(path)) visit(path);
  return found;
}
