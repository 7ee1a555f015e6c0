import { networkInterfaces } from "node:os";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Decides whether a `Host` header names this gateway, on any port. A page on another site can point its own name at 127.0.0.1 (DNS
 * rebinding) and then counts as same-origin for the browser; its `Host` gives it away.
 */
export function createHostRule(host: string, allowedHosts: readonly string[]): (header: string | undefined) => boolean {
  const names = new Set([...LOOPBACK, host, ...(isWildcard(host) ? ownAddresses() : []), ...allowedHosts].map(canonical));
  return (header) => header !== undefined && names.has(canonical(header));
}

/** The address under which the gateway can be reached from its own machine. */
export function reachableHost(host: string): string {
  return isWildcard(host) ? "127.0.0.1" : bracketed(host);
}

/** Lower case, no port, no trailing dot; IPv6 in brackets. */
function canonical(host: string): string {
  const name = host.trim().toLowerCase();
  if (name.startsWith("[")) return name.slice(0, name.indexOf("]") + 1);
  if (name.indexOf(":") !== name.lastIndexOf(":")) return `[${name}]`;
  return name.replace(/:\d*$/, "").replace(/\.$/, "");
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** Who listens everywhere wants to be reached by the machine's addresses; an address literal cannot be rebound. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((entry) => entry.address));
}

function isWildcard(host: string): boolean {
  return host === "" || host === "0.0.0.0" || host === "::" || host === "[::]";
}
