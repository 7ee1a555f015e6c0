import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "@trunkline/plugin-sdk";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "./main.ts";

function folderWith(markdown: string): { readonly folder: string; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-render-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "answer.md");
  writeFileSync(file, markdown);
  return { folder, file };
}

async function trunkline(...args: string[]) {
  const lines = { out: [] as string[], err: [] as string[] };
  const code = await runCli(args, { out: (text) => lines.out.push(text), err: (text) => lines.err.push(text), redactor: createRedactor() });
  return { code, out: lines.out.join("\n"), err: lines.err.join("\n") };
}

it("prints Slack's blocks beside the text that stands in for them", async () => {
  const { file } = folderWith("**b** <!here>\n\n| A |\n|---|\n| 1 |");
  const { code, out } = await trunkline("render", "--channel", "slack", "--json", file);
  expect(code).toBe(0);
  const text = "*b* &lt;!here&gt;\n\n```\nA\n---\n1\n```";
  const parts = JSON.parse(out) as readonly { readonly blocks: readonly object[] }[];
  expect(parts).toEqual([{ text, blocks: expect.any(Array), length: text.length }]);
  expect(parts[0]?.blocks).toEqual([
    {
      type: "rich_text",
      elements: [
        {
          type: "rich_text_section",
          elements: [
            { type: "text", text: "b", style: { bold: true } },
            { type: "text", text: " <!here>" },
          ],
        },
      ],
    },
    expect.objectContaining({ type: "table" }),
  ]);
});

it("draws the messages of one channel on a page", async () => {
  const { file } = folderWith("**b** ~~s~~");
  const { code, out } = await trunkline("render", "--channel", "discord", "--html", file);
  expect(code).toBe(0);
  expect(out).toContain("<strong>b</strong> <s>s</s>");
  expect(out.match(/<section /g)).toHaveLength(1);
  expect((await trunkline("render", "--channel", "discord", "--html", "--json", file)).code).toBe(1);
});

it("writes the preview of a file beside it, over an older one and over nothing else", async () => {
  const { folder, file } = folderWith("hello");
  const beside = `${file}.preview.html`;
  expect(await trunkline("preview", file)).toMatchObject({ code: 0, out: beside });
  expect((await trunkline("preview", file)).code).toBe(0);
  expect(readFileSync(beside, "utf8").match(/<section /g)).toHaveLength(6);
  const mine = join(folder, "mine.html");
  writeFileSync(mine, "precious");
  expect(await trunkline("preview", file, "--out", mine)).toMatchObject({
    code: 1,
    err: expect.stringContaining("is no preview") as string,
  });
  expect(readFileSync(mine, "utf8")).toBe("precious");
});
