import type { InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeConfig, fakeSnapshot } from "../fake-config.ts";
import { fakeGroupMessage, fakeMessage, GROUP } from "../fake-message.ts";
import { tempStore } from "../fake-store.ts";
import { acceptJudged, judgedRow } from "../inbound/accept.ts";
import { decideInbound } from "../inbound/decide.ts";
import { fakeInbound } from "../inbound/fake-inbound.ts";
import { saveMessage } from "../store/messages.ts";
import { commitParts } from "./fake-outbox.ts";
import { reconcilePart } from "./reconcile.ts";

async function setUp() {
  const store = await tempStore();
  const fake = createFakeChannel();
  const config = fakeConfig({ account: { groups: { team: { requireMention: false } } } });
  let count = 0;
  const hears = async (message: InboundMessage, at: number) => {
    count += 1;
    const verdict = decideInbound(fakeInbound(message, { config, channel: fake.plugin, now: at }));
    const row = judgedRow(`in_${count}`, message, verdict, fakeSnapshot(config), at);
    await store.write((tx) => acceptJudged(tx, { message, verdict, row }), "durable");
  };
  const says = (platformId: string, conv: string, at: number) =>
    store.write(
      (tx) => saveMessage(tx, { conv, platformId, direction: "out", author: "", text: "", replyTo: null, ref: null, at }),
      "durable",
    );
  const evidenceFor = async (createdAt: number) => {
    const [row] = await commitParts(store, [{ text: "lost", createdAt, conversation: GROUP }]);
    const { transport, plugin } = fake;
    const line = { account: "main", identity: undefined, transport, capabilities: plugin.capabilities, onAmbiguous: "resend" as const };
    const result = await reconcilePart({ row: row!, part: JSON.parse(row!.bodyJson), line, store, signal: new AbortController().signal });
    expect(result).toEqual({ outcome: "absent" });
    return fake.asked.at(-1)!.evidence;
  };
  return { hears, says, evidenceFor };
}

describe("what a channel is told about a lost part", () => {
  it("is the newest message of the conversation before it, and the newest of the account", async () => {
    const { hears, evidenceFor } = await setUp();
    await hears(fakeGroupMessage({ id: "8", sentAt: 100 }), 100);
    await hears(fakeGroupMessage({ id: "9", sentAt: 200 }), 200);
    await hears(fakeMessage({ id: "12", sentAt: 250 }), 250);
    expect(await evidenceFor(300)).toEqual({ lastKnownId: "9", newestSeenIds: ["12", "9", "8"] });
  });

  it("does not take for older what people wrote after the part was made", async () => {
    const { hears, evidenceFor } = await setUp();
    await hears(fakeGroupMessage({ id: "9", sentAt: 200 }), 200);
    await hears(fakeGroupMessage({ id: "11", sentAt: 400 }), 400);
    expect(await evidenceFor(300)).toEqual({ lastKnownId: "9", newestSeenIds: ["11", "9"] });
  });

  it("knows that the earlier parts of the same answer stand before it", async () => {
    const { hears, says, evidenceFor } = await setUp();
    await hears(fakeGroupMessage({ id: "9", sentAt: 200 }), 200);
    await says("10", "fake:main:team:", 350);
    await hears(fakeGroupMessage({ id: "12", sentAt: 400 }), 400);
    expect((await evidenceFor(300)).lastKnownId).toBe("10");
  });

  it("is nothing in a conversation that nobody knows", async () => {
    const { evidenceFor } = await setUp();
    expect(await evidenceFor(300)).toEqual({ newestSeenIds: [] });
  });
});
