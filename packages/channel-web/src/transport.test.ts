import { type ChannelHost, silentLogger, systemClock } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { webChannel } from "./index.ts";

const host: ChannelHost = {
  channel: "web",
  account: "main",
  clock: systemClock,
  logger: silentLogger,
  signal: new AbortController().signal,
  receive: async () => [],
  unreadable: async () => ({ id: "in_1", duplicate: false }),
  alive: () => {},
  report: () => {},
  history: async () => [],
  message: async () => undefined,
  saveMedia: async () => ({ id: "", size: 0 }),
  openMedia: async () => undefined,
  memory: { get: async () => undefined, set: async () => {} },
};

describe("the web channel", () => {
  it("does not start without an HTTP server, and says so", async () => {
    await expect(webChannel.connect({}, host).start()).rejects.toMatchObject({
      code: "CHANNEL_FAILED",
      hint: expect.stringContaining("HTTP server"),
    });
  });

  it("takes no keys of its own, and names the one that it does not know", async () => {
    const validate = (value: unknown) => webChannel.configSchema["~standard"].validate(value);
    expect(await validate({})).toEqual({ value: {} });
    expect((await validate({ theme: "dark" })).issues?.[0]?.message).toContain("theme");
    expect(webChannel.configSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" })).toMatchObject({
      type: "object",
      additionalProperties: false,
    });
  });
});
