import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MediaKind, OutboundPart } from "@trunkline/plugin-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PUBLIC_API_ROOT } from "../config.ts";
import type { ApiFailure } from "../api/errors.ts";
import { checkUploads, PHOTO_LIMIT, UPLOAD_LIMITS, withPlainerMedia } from "./uploads.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "telegram-uploads-"));
});
afterAll(() => rm(folder, { recursive: true }));

const partOf = (kind: MediaKind, path = "/x"): OutboundPart => ({
  id: "ob_1",
  key: "k",
  conversation: { channel: "telegram", account: "main", kind: "direct", id: "42" },
  media: [{ kind, path, fileName: "file", mimeType: "application/octet-stream" }],
});

/** A file of that many bytes that takes no room on the disk. */
async function sized(bytes: number): Promise<string> {
  const path = join(folder, String(bytes));
  const file = await open(path, "w");
  await file.truncate(bytes);
  await file.close();
  return path;
}

const check = async (kind: MediaKind, bytes: number, apiRoot = PUBLIC_API_ROOT) =>
  (await checkUploads(partOf(kind, await sized(bytes)), apiRoot)).media?.[0]?.kind;

describe("a file to send", () => {
  it("is a photo up to 10 MB, and above that a document", async () => {
    expect(await check("image", PHOTO_LIMIT)).toBe("image");
    expect(await check("image", PHOTO_LIMIT + 1)).toBe("document");
    expect(await check("video", PHOTO_LIMIT + 1)).toBe("video");
  });

  it("may have 50 MB for the public API, and more for a local server", async () => {
    expect(await check("video", UPLOAD_LIMITS.public)).toBe("video");
    await expect(check("video", UPLOAD_LIMITS.public + 1)).rejects.toMatchObject({ code: "DELIVERY_MEDIA_REFUSED" });
    expect(await check("video", UPLOAD_LIMITS.public + 1, "http://127.0.0.1:8081")).toBe("video");
    await expect(check("video", UPLOAD_LIMITS.local + 1, "http://127.0.0.1:8081")).rejects.toMatchObject({
      code: "DELIVERY_MEDIA_REFUSED",
    });
  });

  it("has to exist and to be a file", async () => {
    for (const path of [folder, join(folder, "gone"), await sized(0)]) {
      await expect(checkUploads(partOf("document", path), PUBLIC_API_ROOT)).rejects.toMatchObject({
        code: "DELIVERY_MEDIA_REFUSED",
        detail: { file: "file" },
      });
    }
  });
});

describe("what is tried after a refusal", () => {
  const refused = (description: string, code = 400): ApiFailure => ({ kind: "refused", code, description });
  const kindAfter = (kind: MediaKind, failure: ApiFailure) => withPlainerMedia(partOf(kind), failure)?.media?.[0]?.kind;

  it("is a document where the picture is no photo", () => {
    expect(kindAfter("image", refused("Bad Request: PHOTO_INVALID_DIMENSIONS"))).toBe("document");
    expect(kindAfter("image", refused("Bad Request: IMAGE_PROCESS_FAILED"))).toBe("document");
  });

  it("is audio for people who allow no voice notes", () => {
    expect(kindAfter("voice", refused("Bad Request: VOICE_MESSAGES_FORBIDDEN"))).toBe("audio");
  });

  it("is nothing when the medium was not the reason, or is as plain as it gets", () => {
    expect(kindAfter("image", refused("Bad Request: chat not found"))).toBeUndefined();
    expect(kindAfter("document", refused("Bad Request: PHOTO_INVALID_DIMENSIONS"))).toBeUndefined();
    expect(kindAfter("image", refused("PHOTO_INVALID_DIMENSIONS", 502))).toBeUndefined();
    expect(kindAfter("image", { kind: "lost", reason: "timeout" })).toBeUndefined();
  });
});
