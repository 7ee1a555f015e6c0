import { readFile } from "node:fs/promises";
import { describeError, type Logger, type MediaRef, type ModelImage, type Transport } from "@trunkline/plugin-sdk";
import { untilAborted } from "../lanes/abort.ts";
import type { Turn } from "../reply/turn.ts";
import { MEDIA_MAX_BYTES, type MediaFolder } from "./media-folder.ts";

/** Largest image that goes into a prompt, in bytes; bigger ones are named only. */
const PROMPT_IMAGE_BYTES = 4 * 1024 * 1024;

/** Images in one prompt. */
const PROMPT_IMAGES = 4;

/** What of a message's media a prompt shows. */
export interface PromptMedia {
  readonly images: readonly ModelImage[];
  /** Names of files that are not shown as images. */
  readonly files: readonly string[];
}

/** Fetches inbound media, after access has passed. */
export interface InboundMedia {
  /** `images`: whether a model will see them; if not, they are named like other files. Never rejects but on abort: what cannot be fetched is named as such. */
  forPrompt(turn: Turn, images: boolean): Promise<PromptMedia>;
}

/** Creates the fetcher. `transportOf` gives the running transport of an account, if it is still who got the message. */
export function createInboundMedia(
  folder: MediaFolder,
  transportOf: (channel: string, account: string, identity?: string) => Transport | undefined,
  logger: Logger,
): InboundMedia {
  return {
    async forPrompt(turn, sees) {
      const { channel, account } = turn.message.conversation;
      const images: ModelImage[] = [];
      const files: string[] = [];
      for (const media of turn.message.media) {
        const name = media.fileName ?? media.kind;
        const transport = transportOf(channel, account, turn.message.receivedAs);
        const image = sees && media.kind === "image" && images.length < PROMPT_IMAGES;
        try {
          const stored = await untilAborted(fetchOne(media, transport, folder, turn.signal), turn.signal);
          if (image && stored !== undefined && stored.size <= PROMPT_IMAGE_BYTES) {
            images.push({ name, mimeType: stored.mimeType, base64: (await readFile(stored.path)).toString("base64") });
          } else {
            files.push(stored === undefined ? `${name} (not available)` : name);
          }
        } catch (error) {
          turn.signal.throwIfAborted();
          logger.warn({ trace: turn.row.id, error: describeError(error) }, "an attached file could not be fetched");
          files.push(`${name} (not available)`);
        }
      }
      return { images, files };
    },
  };
}

async function fetchOne(media: MediaRef, transport: Transport | undefined, folder: MediaFolder, signal: AbortSignal) {
  if (!transport?.fetchMedia) return undefined;
  const fetched = await transport.fetchMedia(media, { maxBytes: MEDIA_MAX_BYTES, signal });
  const stored = await folder.save(fetched.data, media.fileName ?? media.kind);
  return { ...stored, mimeType: fetched.mimeType ?? media.mimeType ?? "image/jpeg" };
}
