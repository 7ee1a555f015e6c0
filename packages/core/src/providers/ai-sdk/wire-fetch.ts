import type { Clock } from "@trunkline/plugin-sdk";
import type { CallTimeouts } from "../deadlines.ts";
import { readErrorBody } from "../error-body.ts";
import type { HttpPool } from "../http.ts";
import { replaceLoneSurrogates } from "../openai-wire.ts";
import type { ProviderErrors } from "../provider-errors.ts";
import { openResponse, type Response as WireResponse } from "../response.ts";

export interface WireFetchOptions {
  readonly pool: HttpPool;
  readonly timeouts: CallTimeouts;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly errors: ProviderErrors;
  /** The configured ones; they win over the library's. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A `fetch` for one call, for libraries that take one: our pool, deadlines and proxy below it, and our errors out of it. A status that
 * is not 2xx is thrown, so that a refusal is judged in the one place where those of all providers are.
 */
export function createWireFetch(options: WireFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const response = openResponse({
      ...options,
      path: url.pathname + url.search,
      headers: { ...namesInLowerCase(init?.headers), "user-agent": "trunkline", ...namesInLowerCase(options.headers) },
      body: replaceLoneSurrogates(typeof init?.body === "string" ? init.body : ""),
    });
    try {
      const { status, headers } = await response.head();
      if (status < 200 || status > 299) throw options.errors.refused(status, headers, await readErrorBody(response, options.signal));
      return new Response(toStream(response), { status, headers: { "content-type": "text/event-stream" } });
    } catch (error) {
      response.close(false);
      throw error;
    }
  };
}

/** Not by `new Headers`, which throws over a stray character in a key before our errors can explain it. */
function namesInLowerCase(headers: RequestInit["headers"]): Record<string, string> {
  const entries = Symbol.iterator in Object(headers ?? {}) ? [...(headers as Iterable<[string, string]>)] : Object.entries(headers ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Read on demand: what nobody reads yet holds the server back. */
function toStream(response: WireResponse): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await response.next();
        if (piece !== undefined) return controller.enqueue(new Uint8Array(piece));
        response.close(true);
        controller.close();
      },
      cancel: () => response.close(false),
    },
    { highWaterMark: 0 },
  );
}
