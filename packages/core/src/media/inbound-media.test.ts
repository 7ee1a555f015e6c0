import type { FetchedMedia, MediaRef, Transport } from "@trunkline/plugin-sdk";
import { silentLogger } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeMessage } from "../fake-message.ts";
import { tempFolder } from "../fake-store.ts";
import { fakeTurn } from "../reply/fake-turn.ts";
import { createInboundMedia } from "./inbound-media.ts";
import { createMediaFolder } from "./media-folder.ts";

const image = (name: string): MediaRef => ({ kind: "image", url: `channel:${name}`, fileName: name });
const paper: MediaRef = { kind: "document", url: "channel:paper", fileName: "paper.pdf" };

async function* bytes(size: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(size);
}

function setUp(fetchMedia?: (media: MediaRef) => Promise<FetchedMedia>, sees = true) {
  const transport: Transport = { ...createFakeChannel().transport, ...(fetchMedia ? { fetchMedia } : {}) };
  const media = createInboundMedia(createMediaFolder(tempFolder()), () => transport, silentLogger);
  const controller = new AbortController();
  return {
    controller,
    forPrompt: (...refs: readonly MediaRef[]) =>
      media.forPrompt(fakeTurn({ message: fakeMessage({ media: refs }), signal: controller.signal }), sees),
  };
}

describe("media that people send", () => {
  it("are shown when they are images, four at most, and named otherwise", async () => {
    const { forPrompt } = setUp(async () => ({ data: bytes(3), mimeType: "image/png" }));
    const { images, files } = await forPrompt(...["1", "2", "3", "4", "5"].map(image), paper);
    expect(images).toEqual(["1", "2", "3", "4"].map((name) => ({ name, mimeType: "image/png", base64: "AAAA" })));
    expect(files).toEqual(["5", "paper.pdf"]);
  });

  it("are named when no model would see them", async () => {
    const { forPrompt } = setUp(async () => ({ data: bytes(3), mimeType: "image/png" }), false);
    expect(await forPrompt(image("cat.png"), paper)).toEqual({ images: [], files: ["cat.png", "paper.pdf"] });
  });

  it("are named when they are too large to show", async () => {
    const { forPrompt } = setUp(async () => ({ data: bytes(4 * 1024 * 1024 + 1) }));
    expect(await forPrompt(image("big.png"))).toEqual({ images: [], files: ["big.png"] });
  });

  it("are said to be missing when they cannot be fetched, and the turn goes on", async () => {
    const { forPrompt } = setUp(async (media) => {
      if (media === paper) throw new Error("gone");
      return { data: bytes(21 * 1024 * 1024) };
    });
    expect(await forPrompt(paper, image("huge.png"))).toEqual({
      images: [],
      files: ["paper.pdf (not available)", "huge.png (not available)"],
    });
    expect(await setUp().forPrompt(paper)).toEqual({ images: [], files: ["paper.pdf (not available)"] });
  });

  it("do not hold up a turn that is stopped, even when the platform hangs", async () => {
    const { controller, forPrompt } = setUp(() => new Promise(() => {}));
    const waiting = forPrompt(paper);
    controller.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });
});
