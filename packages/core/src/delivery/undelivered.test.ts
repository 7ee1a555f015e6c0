import type { OutboundPart } from "@trunkline/plugin-sdk";
import { createIds } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeConfig, type FakeConfigOptions } from "../fake-config.ts";
import { DIRECT } from "../fake-message.ts";
import type { OutboxRow } from "../store/outbox.ts";
import { undeliveredNotice } from "./undelivered.ts";

const row = (over: Partial<OutboxRow> = {}) => ({ id: "ob_1", turn: "tn_1", seq: 3, ...over }) as OutboxRow;
const part: OutboundPart = { id: "ob_1", key: "k", conversation: DIRECT };

function notice(given: OutboxRow, config: FakeConfigOptions = {}) {
  const { plugin } = createFakeChannel();
  const ids = createIds(
    () => 0,
    () => 0.5,
  );
  return undeliveredNotice(given, part, { config: fakeConfig(config), channels: new Map([["fake", plugin]]), ids, now: 5 });
}

describe("the words about a part that could not be delivered", () => {
  it("are one sentence, said once for an answer however many of its parts die", () => {
    const [first] = notice(row());
    const [second] = notice(row({ id: "ob_2" }));
    expect(first).toMatchObject({ kind: "undelivered", turn: "tn_1", seq: 3 });
    expect((JSON.parse(first!.bodyJson) as OutboundPart).text?.plain).toBe("A part of my answer could not be delivered here.");
    expect(second?.key).toBe(first?.key);
    expect(notice(row({ turn: "tn_2" }))[0]?.key).not.toBe(first?.key);
  });

  it("are configured, and left out where the account is gone", () => {
    const [own] = notice(row(), { messages: { texts: { undelivered: "Da fehlt etwas." } } });
    expect((JSON.parse(own!.bodyJson) as OutboundPart).text?.plain).toBe("Da fehlt etwas.");
    expect(notice(row(), { channels: {} })).toEqual([]);
  });
});
