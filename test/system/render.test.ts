import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { trunkline } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

it("prints one line of JSON per file: the parts exactly as they would be sent", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "a.md"), "**bold** and `code`");
  writeFileSync(join(folder, "long.md"), "word ".repeat(2000));
  const { code, out } = await trunkline(["render", "--channel", "telegram", "--json", join(folder, "a.md"), join(folder, "long.md")]);
  expect(code).toBe(0);
  const [first, second] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { text: string; length: number; entities?: unknown }[]);
  expect(first).toEqual([
    {
      text: "bold and code",
      entities: [
        { type: "bold", offset: 0, length: 4 },
        { type: "code", offset: 9, length: 4 },
      ],
      length: 13,
    },
  ]);
  expect(second?.length).toBeGreaterThan(2);
  for (const part of second ?? []) expect(part.length).toBeLessThanOrEqual(4096);
});

it("reads standard input, and knows web and plain", async () => {
  const web = await trunkline(["render", "--channel", "web", "--json", "-"], { input: "**b** <script>" });
  expect(JSON.parse(web.out)).toEqual([{ text: expect.stringContaining("<strong>b</strong> &lt;script&gt;"), length: expect.any(Number) }]);
  const plain = await trunkline(["render", "--channel", "plain", "--json", "-"], { input: "**b** ~~s~~" });
  expect(JSON.parse(plain.out)).toEqual([{ text: "b ~~s~~", length: 7 }]);
});

it("shows how an answer looks on channels that have no connection yet, and refuses to configure them", async () => {
  for (const channel of ["discord", "slack", "whatsapp"]) {
    const { code, out } = await trunkline(["render", "--channel", channel, "--json", "-"], { input: "Hello" });
    expect(code, channel).toBe(0);
    expect(JSON.parse(out)).toEqual([expect.objectContaining({ text: "Hello", length: 5 })]);
  }
  const file = join(tempFolder(), "trunkline.yaml");
  writeFileSync(file, "version: 1\nchannels:\n  discord: { accounts: { main: { token: abc } } }\n");
  const { code, err } = await trunkline(["check", "--config", file]);
  expect(code).toBe(1);
  expect(err).toContain("trunkline.yaml:3:3");
  expect(err).toContain("Discord has no connection yet");
});

it("refuses an unknown channel with the known ones", async () => {
  const { code, err } = await trunkline(["render", "--channel", "telegramm", "-"], { input: "x" });
  expect(code).toBe(1);
  expect(err).toContain("CHANNEL_UNKNOWN");
  expect(err).toContain("telegram");
});
