import type { ApiClientOptions } from "grammy";
import { followAbort } from "./follow-abort.ts";
import { createTelegramHttp, type TelegramHttp } from "./http.ts";

/** A file on disk inside an API call's parameters. */
export interface LocalFile {
  readonly localFile: { readonly path: string; readonly fileName: string };
}

/** One call of a Bot API method, as data. */
export interface ApiRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The Bot API through grammY's client: no middleware, no loop, no retries of its own. Rejects with what grammY throws. */
export interface TelegramApi {
  call(request: ApiRequest, signal?: AbortSignal): Promise<unknown>;
  /** Opens a file below the server's root, as `getFile` names it. */
  open: TelegramHttp["open"];
  /** Cuts what is open. A later call opens connections anew. */
  close(): void;
}

/** Seconds that getUpdates may wait for something to happen. The platform allows 50; proxies often cut at 30 or 60. */
export const LONG_POLL_SECONDS = 25;

/**
 * Seconds after which a call is given up. The client's own 500 would hold a conversation for eight minutes; a poll needs its wait
 * and a margin, an upload its bytes: 50 MB in five minutes are 1.4 Mbit/s.
 */
export const TIMEOUTS = { poll: LONG_POLL_SECONDS + 10, call: 30, upload: 300 } as const;

/** Loads grammY, which nothing else here does, and prepares its client. Nothing is sent yet. */
export async function connectTelegramApi(token: string, apiRoot: string, proxy?: string): Promise<TelegramApi> {
  const { Api, InputFile } = await import("grammy");
  const http = await createTelegramHttp(apiRoot, proxy);
  const client = (timeoutSeconds: number) => {
    const options: ApiClientOptions = {
      apiRoot,
      timeoutSeconds,
      sensitiveLogs: false,
      fetch: http.fetch as unknown as NonNullable<ApiClientOptions["fetch"]>,
    };
    return new Api(token, options).raw as unknown as Readonly<Record<string, (...given: readonly unknown[]) => Promise<unknown>>>;
  };
  const clients = { poll: client(TIMEOUTS.poll), call: client(TIMEOUTS.call), upload: client(TIMEOUTS.upload) };
  const upload = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(upload);
    if (typeof value !== "object" || value === null) return value;
    if (isLocalFile(value)) return new InputFile(value.localFile.path, value.localFile.fileName);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, upload(inner)]));
  };
  return {
    async call({ method, params }, signal) {
      const files = hasFile(params);
      const raw = method === "getUpdates" ? clients.poll : files ? clients.upload : clients.call;
      const { controller, release } = followAbort(signal);
      try {
        // getMe takes its signal first: grammY fills in the empty parameters.
        const given = method === "getMe" ? [controller.signal] : [files ? upload(params) : params, controller.signal];
        return await raw[method]?.(...given);
      } finally {
        release();
      }
    },
    open: http.open,
    close: http.close,
  };
}

function isLocalFile(value: object): value is LocalFile {
  return "localFile" in value;
}

function hasFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isLocalFile(value) || Object.values(value).some(hasFile);
}
