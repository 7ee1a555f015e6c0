const KNOWN_SCHEMES = new Set(["http", "https", "tg", "ton", "tonsite"]);

/** A link target as the server reads it: the address it stores, a person, or the reason why it is none. */
export type CheckedLink =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "user"; readonly userId: number }
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * Checks the target of a `text_link` or of a button.
 * Only http, https, tg, ton and tonsite are links in a classic message. Source: td LinkManager.cpp, `check_link_impl`.
 */
export function checkLink(target: string): CheckedLink {
  const link = target.trim();
  const user = /^tg:(?:\/\/)?user\?id=(\d{1,19})$/i.exec(link);
  if (user !== null) return { kind: "user", userId: Number(user[1]) };
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d)/i.exec(link)?.[1]?.toLowerCase();
  if (scheme !== undefined && !KNOWN_SCHEMES.has(scheme)) return { kind: "invalid", reason: "Unsupported URL protocol" };
  if (scheme === "tg" || scheme === "ton" || scheme === "tonsite") return { kind: "url", url: link };
  const address = scheme === undefined ? `http://${link}` : link;
  const host = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:]*)/i.exec(address)?.[1] ?? "";
  if (host === "" || /\s/.test(address)) return { kind: "invalid", reason: "URL host is empty" };
  if (!host.includes(".")) return { kind: "invalid", reason: "Wrong HTTP URL" };
  // The server adds the root path that a bare host lacks.
  return { kind: "url", url: /^https?:\/\/[^/?#]*$/i.test(address) ? `${address}/` : address };
}
