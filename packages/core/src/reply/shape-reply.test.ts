import type { OutboundMedia } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import type { OutboundMediaResolver } from "../media/outbound-media.ts";
import { fakeTurn } from "./fake-turn.ts";
import { shapeTurnReply } from "./shape-reply.ts";

const files: Record<string, OutboundMedia> = {
  "cat.png": { kind: "image", path: "/data/media/abc", fileName: "cat.png", mimeType: "image/png" },
};
const resolver: OutboundMediaResolver = { workspaceOf: () => "/w", resolve: async (target) => files[target] };
const shape = (text: string) => shapeTurnReply({ text }, fakeTurn(), resolver);

describe("shaping a reply of a turn", () => {
  it("leaves an ordinary text as it is", async () => {
    expect(await shape("**Hi** there")).toMatchObject({ payload: { text: "**Hi** there" }, media: [] });
  });

  it("looks files up and takes their line away", async () => {
    expect(await shape("Here:\nMEDIA: cat.png")).toMatchObject({ payload: { text: "Here:" }, media: [files["cat.png"]] });
  });

  it("says so in place of a file that may not be sent", async () => {
    const shaped = await shape("Here:\nMEDIA: /etc/passwd");
    if ("dropped" in shaped) throw new Error(shaped.why);
    expect(shaped.media).toEqual([]);
    expect(shaped.payload.text).toContain("(file not available)");
    expect(JSON.stringify(shaped)).not.toContain("passwd");
  });

  it("resolves a reply tag to the message that started the turn", async () => {
    const turn = fakeTurn();
    expect(await shapeTurnReply({ text: "[[reply_to_current]] yes" }, turn, resolver)).toMatchObject({
      payload: { text: "yes", replyToCurrent: true },
    });
  });

  it.each([
    ["NO_REPLY", "directives"],
    ["**no_reply**", "directives"],
    ["  ", "empty"],
    ["<think>hm</think>", "empty"],
  ])("drops %j, by the step %s", async (text, by) => {
    expect(await shape(text)).toMatchObject({ dropped: true, by });
  });
});
