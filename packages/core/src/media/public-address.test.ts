import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./public-address.ts";

describe("a public address", () => {
  it.each(["1.1.1.1", "93.184.215.14", "149.154.167.220", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450:4001:830::200e"])(
    "is %s",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    // this machine
    ["127.0.0.1", "::1", "0.0.0.0", "::", "127.255.255.254", "0.1.2.3"],
    // private networks and carrier NAT
    ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "fd00::1", "fc00::1", "fec0::1"],
    // link-local, with the clouds' credentials
    ["169.254.169.254", "fe80::1", "fd00:ec2::254", "fe80::1%eth0"],
    // reserved, documentation, benchmarks, multicast, broadcast
    [
      "192.0.0.1",
      "192.0.2.1",
      "198.18.0.1",
      "198.51.100.1",
      "203.0.113.1",
      "224.0.0.1",
      "240.0.0.1",
      "255.255.255.255",
      "ff02::1",
      "2001:db8::1",
    ],
    // IPv4 in IPv6 clothes: mapped, compatible, translated, NAT64, 6to4, Teredo
    [
      "::ffff:10.0.0.1",
      "::ffff:7f00:1",
      "::127.0.0.1",
      "::ffff:0:10.0.0.1",
      "64:ff9b::10.0.0.1",
      "64:ff9b:1::a00:1",
      "2002:a00:1::",
      "2001:0:a00:1::",
    ],
    // no address at all
    ["", "localhost", "example.com", "1.2.3.4.5", "::g"],
  ])("is none of %s, %s and the like", (...addresses) => {
    expect(addresses.filter((address) => isPublicAddress(address))).toEqual([]);
  });

  it("is a mapped address of one that is", () => {
    expect(isPublicAddress("::ffff:1.1.1.1")).toBe(true);
  });
});
