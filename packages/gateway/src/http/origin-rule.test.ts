import { describe, expect, it } from "vitest";
import { allowsOrigin, type RequestSource } from "./origin-rule.ts";

const plain: RequestSource = {
  method: "GET",
  host: "127.0.0.1:8080",
  origin: undefined,
  fetchSite: undefined,
  accept: undefined,
  requestedWith: undefined,
};
const write = { ...plain, method: "POST" };
const stream = { ...plain, accept: "text/event-stream" };

describe("the Origin rule", () => {
  it("lets every page be opened by a link from anywhere", () => {
    expect(allowsOrigin({ ...plain, fetchSite: "cross-site" })).toBe(true);
  });

  it("takes writes from the gateway's own pages alone", () => {
    expect(allowsOrigin({ ...write, origin: "http://127.0.0.1:8080" })).toBe(true);
    expect(allowsOrigin({ ...write, host: "chat.example", origin: "https://chat.example" })).toBe(true);
    for (const origin of [
      "http://evil.example",
      "http://127.0.0.1:8081",
      "http://127.0.0.1",
      "null",
      "http://127.0.0.1:8080.evil.example",
      "",
      "file://127.0.0.1:8080",
    ]) {
      expect(allowsOrigin({ ...write, origin }), origin).toBe(false);
    }
  });

  it("refuses a write without Origin, whatever else it claims", () => {
    expect(allowsOrigin({ ...write, fetchSite: "same-origin", requestedWith: "trunkline" })).toBe(false);
  });

  it("opens an event stream to the gateway's own pages alone", () => {
    expect(allowsOrigin({ ...stream, fetchSite: "same-origin" })).toBe(true);
    expect(allowsOrigin({ ...stream, origin: "http://127.0.0.1:8080" })).toBe(true);
    expect(allowsOrigin({ ...stream, requestedWith: "trunkline" })).toBe(true);
    expect(allowsOrigin(stream)).toBe(false);
    expect(allowsOrigin({ ...stream, fetchSite: "same-site" })).toBe(false);
    expect(allowsOrigin({ ...stream, fetchSite: "cross-site", requestedWith: "trunkline" })).toBe(false);
    expect(allowsOrigin({ ...stream, origin: "http://evil.example", fetchSite: "same-origin" })).toBe(false);
  });
});
