import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createMediaFolder, type MediaFolder } from "./media-folder.ts";

let data: string;
let folder: MediaFolder;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "trunkline-media-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  folder = createMediaFolder(data);
});

async function* bytes(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield new TextEncoder().encode(chunk);
}

describe("the media folder", () => {
  it("keeps a file once, by its content, and gives it back by that", async () => {
    const first = await folder.save(bytes("hel", "lo"), "a.txt");
    const second = await folder.save(bytes("hello"), "b.txt");
    expect(second).toEqual(first);
    const opened = await folder.open(basename(first.path));
    expect(opened?.size).toBe(5);
    const read: Uint8Array[] = [];
    for await (const chunk of opened!.data) read.push(chunk);
    expect(Buffer.concat(read).toString()).toBe("hello");
  });

  it("opens nothing by a name that is no content's", async () => {
    await writeFile(join(data, "secret"), "x");
    for (const id of ["", "../secret", "secret", "a".repeat(63), "A".repeat(64), "a".repeat(64), `${"a".repeat(64)}/../../secret`])
      expect(await folder.open(id), id).toBeUndefined();
  });
});
