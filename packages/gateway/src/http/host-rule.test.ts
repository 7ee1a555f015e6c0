import { describe, expect, it } from "vitest";
import { createHostRule, reachableHost } from "./host-rule.ts";

describe("the Host rule", () => {
  const allows = createHostRule("127.0.0.1", ["chat.example.org"]);

  it.each([
    "127.0.0.1",
    "127.0.0.1:8080",
    "localhost:1",
    "LOCALHOST",
    "localhost.",
    "[::1]:8080",
    "chat.example.org",
    "Chat.Example.org:443",
  ])("answers to %s", (header) => expect(allows(header)).toBe(true));

  it.each([
    undefined,
    "",
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "evil.example:127.0.0.1",
    "[::2]",
    "0.0.0.0",
  ])("does not answer to %s", (header) => expect(allows(header)).toBe(false));

  it("answers to the machine's own addresses when it listens on all of them", () => {
    const everywhere = createHostRule("0.0.0.0", []);
    expect(everywhere("127.0.0.1:80")).toBe(true);
    expect(everywhere("evil.example")).toBe(false);
    expect(reachableHost("0.0.0.0")).toBe("127.0.0.1");
  });

  it("takes an IPv6 address with and without brackets", () => {
    expect(createHostRule("fd00::1", [])("[fd00::1]:8080")).toBe(true);
    expect(reachableHost("fd00::1")).toBe("[fd00::1]");
  });
});
