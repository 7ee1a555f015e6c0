import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../fake-store.ts";
import { createMediaFolder, MEDIA_MAX_BYTES } from "./media-folder.ts";

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  const megabyte = new Uint8Array(1024 * 1024);
  for (let left = bytes; left > 0; left -= megabyte.length) yield megabyte.subarray(0, Math.min(left, megabyte.length));
}

describe("the media folder", () => {
  it("names a file by its content, so that the same one twice is one, and gives it back by that", async () => {
    const data = tempFolder();
    const folder = createMediaFolder(data);
    const [one, two] = [await folder.save(chunks("hello ", "world"), "a.txt"), await folder.save(chunks("hel", "lo world"), "b.txt")];
    const hash = createHash("sha256").update("hello world").digest("hex");
    expect(one).toEqual({ path: join(data, "media", hash), size: 11 });
    expect(two).toEqual(one);
    expect(readFileSync(one.path, "utf8")).toBe("hello world");
    expect(readdirSync(join(data, "media"))).toEqual([hash]);
    const opened = await folder.open(hash);
    expect(opened?.size).toBe(11);
    const read: Uint8Array[] = [];
    for await (const chunk of opened!.data) read.push(chunk);
    expect(Buffer.concat(read).toString()).toBe("hello world");
  });

  it("opens nothing by a name that is no content's", async () => {
    const data = tempFolder();
    const folder = createMediaFolder(data);
    writeFileSync(join(data, "secret"), "x");
    for (const id of ["", "../secret", "secret", "a".repeat(63), "A".repeat(64), "a".repeat(64), `${"a".repeat(64)}/../../secret`])
      expect(await folder.open(id), id).toBeUndefined();
  });

  it("keeps it to its owner", async () => {
    const data = tempFolder();
    const { path } = await createMediaFolder(data).save(chunks("x"), "x");
    expect([statSync(path).mode & 0o777, statSync(join(data, "media")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("takes 20 MB and not a byte more, and leaves nothing of what it refuses", async () => {
    const data = tempFolder();
    const folder = createMediaFolder(data);
    expect((await folder.save(zeros(MEDIA_MAX_BYTES), "fits")).size).toBe(MEDIA_MAX_BYTES);
    await expect(folder.save(zeros(MEDIA_MAX_BYTES + 1), "big.bin")).rejects.toMatchObject({
      code: "DELIVERY_MEDIA_REFUSED",
      detail: { file: "big.bin" },
    });
    expect(readdirSync(join(data, "media"))).toHaveLength(1);
  });

  it("leaves nothing of a stream that breaks off", async () => {
    const data = tempFolder();
    const broken = (async function* () {
      yield new Uint8Array(10);
      throw new Error("connection lost");
    })();
    await expect(createMediaFolder(data).save(broken, "x")).rejects.toThrow("connection lost");
    expect(readdirSync(join(data, "media"))).toEqual([]);
  });
});
