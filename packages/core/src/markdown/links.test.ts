import { describe, expect, it } from "vitest";
import { allowedTarget, isDeceptiveLabel, printedTarget, settleTarget } from "./links.ts";

describe("link targets", () => {
  it("lets through web, mail and phone links and relative paths", () => {
    for (const href of ["https://a.example", "HTTP://a.example", "mailto:a@b.example", "tel:+123", "/docs", "#top", "guide.md?x=a:b"])
      expect(allowedTarget(href)).toBe(href);
  });

  it("refuses what could run, read files, ping or hide its scheme", () => {
    for (const href of [
      "javascript:x",
      "JaVaScRiPt:x",
      "data:text/html,x",
      "file:///x",
      "tg://user?id=1",
      "vbscript:x",
      "java%0ascript:x",
      "java\nscript:x",
      "C:\\x",
      "",
      "  ",
    ]) {
      expect(allowedTarget(href), href).toBeUndefined();
    }
  });

  it("prints mail addresses and numbers without their scheme", () => {
    expect(printedTarget("mailto:a@b.example")).toBe("a@b.example");
    expect(printedTarget("https://a.example")).toBe("https://a.example");
  });

  it("takes the label for the target when they are one URL", () => {
    expect(settleTarget("https://a.example/", "https://a.example")).toBe("https://a.example/");
    expect(settleTarget("https://a.example", "https://b.example")).toBe("https://b.example");
  });

  it("sees through labels that name another site", () => {
    expect(isDeceptiveLabel("https://bank.example", "https://evil.example")).toBe(true);
    expect(isDeceptiveLabel("bank.example", "https://evil.example")).toBe(true);
    expect(isDeceptiveLabel("log in at www.bank.example now", "https://evil.example")).toBe(true);
    expect(isDeceptiveLabel("https://bank.example", "https://bank.example@evil.example")).toBe(true);
  });

  it("leaves honest labels masked", () => {
    expect(isDeceptiveLabel("bank.example", "https://www.bank.example/login")).toBe(false);
    expect(isDeceptiveLabel("Node.js", "https://nodejs.org")).toBe(false);
    expect(isDeceptiveLabel("README.md", "https://a.example/README.md")).toBe(false);
    expect(isDeceptiveLabel("the docs", "https://a.example")).toBe(false);
  });
});

describe("a label that reads as another place", () => {
  it.each([
    "ｂａｎｋ.com",
    "b\u200bank.com",
    "bank\u00ad.com",
    "192.168.1.1",
    "10.0.0.1/login",
    "//bank.com",
    "see bank.com",
    "go to (bank.com).",
    "HTTPS://Bank.com",
    "ｈｔｔｐｓ://bank.com",
  ])("is %j", (label) => expect(isDeceptiveLabel(label, "https://evil.example/")).toBe(true));

  it.each([
    ["evil.example", "https://evil.example/login"],
    ["see bank.com", "https://bank.com/help"],
    ["//bank.com", "https://bank.com"],
    ["192.168.1.1", "http://192.168.1.1/"],
    ["version 1.2.3", "https://a.example/"],
    ["Node.js", "https://nodejs.org/"],
    ["the story of how bank.com was built and sold", "https://news.example/"],
  ])("is not %j of %s", (label, href) => expect(isDeceptiveLabel(label, href)).toBe(false));
});
