import { GatewayError, isThisMachine } from "@trunkline/plugin-sdk";
import { baseUrlFault } from "../config/addresses.ts";

/** Where a provider's calls go. */
export interface Endpoint {
  readonly origin: string;
  /** Path and query of the chat completions. */
  readonly path: string;
  /** The server runs on this machine, where no proxy can reach it. */
  readonly local: boolean;
}

const COMPLETIONS = "/chat/completions";

/** Reads the address of an API. Throws CONFIG_INVALID. */
export function parseBaseUrl(provider: string, baseUrl: string): { readonly url: URL; readonly local: boolean } {
  const fault = baseUrlFault(baseUrl);
  if (fault !== undefined)
    throw new GatewayError("CONFIG_INVALID", {
      detail: { provider },
      hint: `baseUrl of provider ${provider}: ${fault.message}. ${fault.hint}`,
    });
  const url = new URL(baseUrl);
  return { url, local: isThisMachine(url.hostname) };
}

/** Reads `baseUrl`, with or without a final slash or the completions path that people paste. Throws CONFIG_INVALID. */
export function parseEndpoint(provider: string, baseUrl: string): Endpoint {
  const { url, local } = parseBaseUrl(provider, baseUrl);
  const base = url.pathname.replace(/\/+$/, "");
  return { origin: url.origin, path: (base.endsWith(COMPLETIONS) ? base : base + COMPLETIONS) + url.search, local };
}
