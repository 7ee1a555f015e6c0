import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source-files.ts";

const files = sourceFiles();

/** Folders and files that are pure: immutable values in, values out. */
const PURE = [
  "packages/core/src/access/",
  "packages/core/src/config/",
  "packages/core/src/explain/format-dry-run.ts",
  "packages/core/src/explain/imagine.ts",
  "packages/core/src/explain/meaning.ts",
  "packages/core/src/inbound/decide.ts",
  "packages/core/src/inbound/fragments.ts",
  "packages/core/src/inbound/stop-words.ts",
  "packages/core/src/agent/continuation.ts",
  "packages/core/src/lanes/decide-queue.ts",
  "packages/core/src/lanes/own-turn.ts",
  "packages/core/src/lanes/plan.ts",
  "packages/core/src/lanes/queue-settings.ts",
  "packages/core/src/journal/record.ts",
  "packages/core/src/journal/seam.ts",
  "packages/core/src/markdown/",
  "packages/core/src/routing/",
  "packages/core/src/shaping/",
  "packages/core/src/commands/parse.ts",
  "packages/core/src/delivery/backoff.ts",
  "packages/core/src/delivery/compose.ts",
  "packages/core/src/delivery/verdict.ts",
  "packages/core/src/delivery/way-out.ts",
  "packages/core/src/reply/batch.ts",
  "packages/core/src/reply/labels.ts",
  "packages/core/src/reply/prompt.ts",
  "packages/channel-whatsapp/src/conversation.ts",
  "packages/channel-whatsapp/src/render.ts",
  "packages/channel-slack/src/blocks/",
  "packages/channel-slack/src/conversation.ts",
  "packages/channel-slack/src/marks.ts",
  "packages/channel-slack/src/mentions.ts",
  "packages/channel-slack/src/render.ts",
  "packages/channel-discord/src/conversation.ts",
  "packages/channel-discord/src/render.ts",
  "packages/channel-telegram/src/conversation.ts",
  "packages/channel-telegram/src/inbound.ts",
  "packages/channel-telegram/src/intake/fragments.ts",
  "packages/channel-telegram/src/render.ts",
  "packages/channel-web/src/conversation.ts",
  "packages/channel-web/src/inbound.ts",
  "packages/channel-web/src/render.ts",
];

/** Composing derives part keys by a hash: deterministic, so it may. */
const HASHES = ["packages/core/src/delivery/compose.ts"];

const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bsetTimeout\(|\bsetInterval\(|\bperformance\.|\bfetch\(|\bcrypto\./;

describe("pure files", () => {
  it.each(PURE)("%s exists", (path) => {
    expect(files.some((file) => file.path.startsWith(path))).toBe(true);
  });

  it("import no node module and read no clock, randomness, environment or network", () => {
    const pure = files.filter((file) => PURE.some((path) => file.path.startsWith(path)));
    const wrong = pure.filter(
      (file) => file.imports.some((specifier) => specifier.startsWith("node:")) || IMPURE.test(withoutComments(file.text)),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
    expect(pure.filter((file) => HASHES.includes(file.path))).toHaveLength(HASHES.length);
  });
});

describe("the rest of the code", () => {
  it("takes time from the clock: only the system clock and the process's edges read it", () => {
    const wrong = files.filter(
      (file) => /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/.test(withoutComments(file.text)) && !CLOCKS.includes(file.path),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it("throws GatewayError, never a bare Error", () => {
    const wrong = files.filter((file) => !file.path.includes("/testing/") && /\bthrow new Error\(/.test(withoutComments(file.text)));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it("exports by name; only a plugin's entry has a default export", () => {
    const wrong = files.filter(
      (file) => /^export default/m.test(file.text) && !/^packages\/channel-[^/]+\/src\/index\.ts$/.test(file.path),
    );
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});

describe("core", () => {
  it("knows no channel: none is named in its code", () => {
    const named = /["'`](?:telegram|discord|whatsapp|slack|web)["'`]/;
    const wrong = files.filter((file) => file.package === "core" && named.test(withoutComments(file.text)));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });
});

const CLOCKS = ["packages/plugin-sdk/src/clock.ts"];

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "");
}
