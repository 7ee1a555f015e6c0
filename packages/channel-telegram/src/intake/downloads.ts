import { type FetchedMedia, GatewayError, type MediaRef } from "@trunkline/plugin-sdk";
import type { TelegramApi } from "../api/api.ts";
import { readFailure } from "../api/errors.ts";
import { FILE_SCHEME } from "./media.ts";

/** Where files come from. */
export interface Downloads {
  readonly api: TelegramApi;
  readonly token: string;
}

/**
 * Opens an inbound file. The platform serves up to 20 MB, and a local server everything. Source: core.telegram.org/bots/api#getfile.
 * Rejects with DELIVERY_MEDIA_REFUSED when it is too big or gone; so does the stream when more than `maxBytes` come.
 * The file's address holds the token: it stays in here.
 */
export async function downloadMedia(
  { api, token }: Downloads,
  media: MediaRef,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<FetchedMedia> {
  const refuse = (reason: string): GatewayError => {
    const hint = "Send it again, or send a smaller one.";
    return new GatewayError("DELIVERY_MEDIA_REFUSED", {
      detail: { channel: "Telegram", file: media.fileName ?? media.kind, reason },
      hint,
    });
  };
  if (media.size !== undefined && media.size > maxBytes) throw refuse(`it has ${media.size} bytes, and ${maxBytes} is the most`);
  const fileId = media.url.startsWith(FILE_SCHEME) ? media.url.slice(FILE_SCHEME.length) : "";
  try {
    const path = pathOf(await api.call({ method: "getFile", params: { file_id: fileId } }, signal));
    if (path === undefined) throw refuse("the Bot API server keeps it in a place of its own");
    const { status, contentType, body } = await api.open(`/file/bot${token}/${path}`, signal);
    // A proxy's sign-in page is no picture. A redirect is followed by nobody.
    const wrong =
      status !== 200
        ? `the platform answered ${status}`
        : media.kind !== "document" && /^text\/html\b/i.test(contentType)
          ? "a web page came instead of it"
          : undefined;
    if (wrong !== undefined) {
      // The rest is not wanted: the connection goes with it.
      body.on("error", () => {}).destroy();
      throw refuse(wrong);
    }
    const named = media.fileName ?? path.split("/").at(-1);
    return {
      data: capped(body, maxBytes, refuse),
      ...(media.mimeType === undefined ? {} : { mimeType: media.mimeType }),
      ...(named === undefined ? {} : { fileName: named }),
    };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const failure = readFailure(error, token);
    throw refuse(failure.kind === "refused" ? failure.description : failure.reason);
  }
}

/** The path below the file root; undefined for the absolute path that a server in --local mode gives. */
function pathOf(file: unknown): string | undefined {
  const path: unknown = typeof file === "object" && file !== null ? (file as { readonly file_path?: unknown }).file_path : undefined;
  const usable = typeof path === "string" && path !== "" && !path.startsWith("/") && !path.split("/").includes("..");
  return usable ? path.split("/").map(encodeURIComponent).join("/") : undefined;
}

async function* capped(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refuse: (reason: string) => GatewayError,
): AsyncIterable<Uint8Array> {
  let total = 0;
  try {
    for await (const chunk of body) {
      total += chunk.byteLength;
      if (total > maxBytes) throw refuse(`more than ${maxBytes} bytes came`);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof GatewayError ? error : refuse("the download broke off");
  }
}
