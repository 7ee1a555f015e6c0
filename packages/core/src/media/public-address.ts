import ipaddr from "ipaddr.js";

/** A network that only a NAT64 gateway reads, made of an IPv4 address. Source: RFC 8215. */
const LOCAL_NAT64 = ipaddr.parseCIDR("64:ff9b:1::/48");

/**
 * Whether an IP address is somebody's on the public internet, in any notation that a resolver gives. Everything that is reserved, local,
 * or a tunnel to what may be local is not: loopback, private networks, link-local (where clouds keep their credentials), carrier NAT, and
 * IPv4 in IPv6 clothes. Pure. Sources: the registries of RFC 6890, iana.org/assignments/iana-ipv6-special-registry.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return true;
  const six = parsed as ipaddr.IPv6;
  // `::a.b.c.d`, an old form of IPv4: nobody's own since RFC 4291.
  const isCompatible = six.parts.slice(0, 6).every((part) => part === 0);
  return !isCompatible && !six.match(LOCAL_NAT64 as [ipaddr.IPv6, number]);
}
