import { createGate } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { ReplyDispatcher } from "./dispatcher.ts";

describe("the reply dispatcher", () => {
  it("writes tool and block replies one after the other, in order, and keeps the finals", async () => {
    const written: string[] = [];
    const gate = createGate();
    const dispatcher = new ReplyDispatcher(async (kind, { text }) => {
      if (text === "1") await gate.pass();
      written.push(`${kind} ${text}`);
    });
    dispatcher.sendToolResult({ text: "1" });
    dispatcher.sendBlockReply({ text: "2" });
    dispatcher.sendFinalReply({ text: "3" });
    dispatcher.sendToolResult({ text: "4" });
    dispatcher.sendFinalReply({ text: "5" });
    await gate.reached;
    expect(written).toEqual([]);
    gate.open();
    await dispatcher.waitForIdle();
    expect(written).toEqual(["tool 1", "block 2", "tool 4"]);
    expect(dispatcher.finals()).toEqual([{ text: "3" }, { text: "5" }]);
    expect(dispatcher.counts()).toEqual({ tool: 2, block: 1, final: 2 });
  });

  it("tells that the store refused a reply, and writes nothing behind it", async () => {
    const written: (string | undefined)[] = [];
    const dispatcher = new ReplyDispatcher(async (_, { text }) => {
      if (text === "bad") throw new Error("disk full");
      written.push(text);
    });
    dispatcher.sendBlockReply({ text: "good" });
    dispatcher.sendBlockReply({ text: "bad" });
    dispatcher.sendBlockReply({ text: "later" });
    await expect(dispatcher.waitForIdle()).rejects.toThrow("disk full");
    expect(written).toEqual(["good"]);
  });

  it("is idle when there was nothing", async () => {
    await new ReplyDispatcher(() => Promise.reject(new Error("never"))).waitForIdle();
  });
});
