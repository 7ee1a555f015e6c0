import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { isIP } from "node:net";
import { type Clock, GatewayError } from "@trunkline/plugin-sdk";
import type { Dispatcher } from "undici";
import { MEDIA_MAX_BYTES } from "./media-folder.ts";
import { suffixOf } from "./media-types.ts";

/** A file on the web while it is fetched. */
export interface WebFile {
  /** Rejects when it breaks off. */
  readonly data: AsyncIterable<Uint8Array>;
  readonly fileName: string;
}

/** Opens what lies at an address that a model wrote. */
export interface WebFiles {
  /** Gives the file to `use`, and drops what it left. Rejects with DELIVERY_MEDIA_REFUSED where the address is not to be asked. */
  open<Result>(address: string, signal: AbortSignal, use: (file: WebFile) => Promise<Result>): Promise<Result>;
}

type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface WebFilesDeps {
  readonly clock: Clock;
  /** The system's resolver unless given. */
  readonly lookup?: Lookup;
  /** Whether an IP address may be asked; public ones unless given. */
  readonly mayAsk?: (address: string) => boolean;
}

/** Addresses that one fetch may be sent on to. */
const REDIRECTS = 5;

/** Longest fetch, from the first address to the last byte, ms. */
const PATIENCE_MS = 30_000;

const CONNECT_MS = 10_000;

/**
 * A fetch that a model may steer: http and https, at addresses on the public internet alone. A connection goes to the very address that was
 * checked, so that a name which answers differently a moment later gains nothing; so does each redirect. A proxy is not used: it would
 * look the names up again by itself.
 */
export function createWebFiles({ clock, lookup = systemLookup, mayAsk }: WebFilesDeps): WebFiles {
  return {
    async open(address, signal, use) {
      // Most gateways never fetch: the libraries are loaded by the first that does.
      const [{ Agent }, { isPublicAddress }] = await Promise.all([import("undici"), import("./public-address.ts")]);
      const allowed = mayAsk ?? isPublicAddress;
      const checked = checkedLookup(lookup, allowed);
      const late = new AbortController();
      const cancel = clock.timer(PATIENCE_MS, () => late.abort(refused("it took too long")));
      const agent = new Agent({ connect: { lookup: checked as never, timeout: CONNECT_MS } });
      try {
        const ended = AbortSignal.any([signal, late.signal]);
        let url = readAddress(address);
        for (let redirects = 0; redirects <= REDIRECTS; redirects += 1) {
          // A literal address is connected to without a lookup.
          const host = url.hostname.replace(/^\[|\]$/g, "");
          if (isIP(host) !== 0 && !allowed(host)) throw refused("the address is not on the public internet");
          const answer = await agent.request({ origin: url.origin, path: url.pathname + url.search, method: "GET", signal: ended });
          const onward = locationOf(answer);
          if (onward === undefined) return await use(fileOf(answer, url));
          answer.body.on("error", () => {}).destroy();
          url = readAddress(onward, url);
        }
        throw refused(`it was sent on more than ${REDIRECTS} times`);
      } finally {
        cancel();
        agent.destroy().catch(() => {});
      }
    },
  };
}

function refused(reason: string): GatewayError {
  return new GatewayError("DELIVERY_MEDIA_REFUSED", { detail: { file: "the web address", reason } });
}

function readAddress(address: string, base?: URL): URL {
  const url = URL.canParse(address, base?.href) ? new URL(address, base?.href) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) throw refused("only http and https are fetched");
  if (url.username !== "" || url.password !== "") throw refused("an address with a name and password is not fetched");
  return url;
}

/** A lookup that fails where any address of a name may not be asked: a name with two faces is nobody's friend. */
function checkedLookup(lookup: Lookup, allowed: (address: string) => boolean): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      if (addresses.length > 0 && addresses.every(({ address }) => allowed(address))) return callback(null, addresses);
      callback(refused("its name leads to an address that is not on the public internet"), []);
    });
}

function locationOf({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  const { location } = headers;
  return statusCode >= 300 && statusCode < 400 && typeof location === "string" ? location : undefined;
}

function fileOf({ statusCode, headers, body }: Dispatcher.ResponseData, url: URL): WebFile {
  const refuse = (reason: string): GatewayError => {
    body.on("error", () => {}).destroy();
    return refused(reason);
  };
  if (statusCode !== 200) throw refuse(`the server answered ${statusCode}`);
  if (Number(headers["content-length"] ?? 0) > MEDIA_MAX_BYTES) throw refuse("it has more than 20 MB");
  return { data: body, fileName: nameOf(url, String(headers["content-type"] ?? "")) };
}

/** The last part of the path, with the suffix of what the server says it is: `/avatar/7?s=80` has none of its own. */
function nameOf({ pathname }: URL, contentType: string): string {
  const last = pathname.split("/").at(-1) ?? "";
  const decoded = /%(?![0-9a-f]{2})/i.test(last) ? last : safeDecode(last);
  // Signs that would be another path, or a line, to whoever reads the name.
  const name = decoded.replace(/[\p{Cc}\p{Cf}/\\:*?"<>|]/gu, "_").slice(-100) || "file";
  const suffix = suffixOf(contentType.split(";")[0]?.trim().toLowerCase() ?? "");
  return suffix === undefined || name.toLowerCase().endsWith(`.${suffix}`) || (suffix === "jpg" && /\.jpeg$/i.test(name))
    ? name
    : `${name}.${suffix}`;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
