/** The headers of a request that say which page it came from. */
export interface RequestSource {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
  readonly accept: string | undefined;
  /** `X-Requested-With`. */
  readonly requestedWith: string | undefined;
}

/** What the gateway's own pages put into `X-Requested-With`. */
const OWN_PAGE = "trunkline";

/**
 * Decides whether a request may come from where it comes from. Writes need an `Origin` of this gateway. So do event streams; but a
 * same-origin GET carries no `Origin`, so there `Sec-Fetch-Site: same-origin` stands in, and where the browser sends that neither
 * (plain http on a LAN address), a header that a page of another origin cannot add without a preflight, which nobody here grants.
 * Plain reads are free: another origin cannot read their answers, and SameSite keeps the cookie from them.
 *
 * Sources: Fetch standard, "append a request Origin header" and CORS-safelisted headers; Fetch Metadata, "potentially trustworthy URL".
 */
export function allowsOrigin(source: RequestSource): boolean {
  const reads = source.method === "GET" || source.method === "HEAD";
  const streams = source.accept?.includes("text/event-stream") ?? false;
  if (reads && !streams) return true;
  if (source.origin !== undefined) return sameHost(source.origin, source.host);
  if (source.fetchSite !== undefined) return reads && source.fetchSite === "same-origin";
  return reads && source.requestedWith === OWN_PAGE;
}

/**
 * The scheme is left open because a reverse proxy may end TLS; the host, port included, has to agree. Both sides are compared as
 * the browser wrote them: it leaves default ports out of either.
 */
function sameHost(origin: string, host: string | undefined): boolean {
  const match = /^https?:\/\/([^/\s]+)$/i.exec(origin);
  return match?.[1] !== undefined && host !== undefined && match[1].toLowerCase() === host.toLowerCase();
}
