import { createIds, type InboundMessage } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { fakeSnapshot } from "../fake-config.ts";
import { fakeMessage, NEW_YEAR } from "../fake-message.ts";
import { tempStore } from "../fake-store.ts";
import { findInboundById, inboundCounts } from "../store/inbox.ts";
import { recentMessages } from "../store/messages.ts";
import { acceptedRow, acceptJudged, type Judged, judgedRow, STORED_TEXT_CHARS, withOrigin } from "./accept.ts";
import { decideInbound } from "./decide.ts";
import { fakeInbound } from "./fake-inbound.ts";

const ids = createIds(
  () => NEW_YEAR,
  () => 0.5,
);

function judge(message: InboundMessage): Judged {
  const verdict = decideInbound(fakeInbound(message));
  return { message, verdict, row: judgedRow(ids.next("in"), message, verdict, fakeSnapshot(), NEW_YEAR) };
}

async function accept(...messages: readonly InboundMessage[]) {
  const store = await tempStore();
  const judged = messages.map(judge);
  const results = await store.write(async (tx) => {
    const all = [];
    for (const one of judged) all.push(await acceptJudged(tx, one));
    return all;
  }, "durable");
  return { store, judged, results };
}

const eve = { id: "eve", name: "Eve Adams", username: "eve99", phone: "+4912345", isBot: false, isSelf: false };

describe("accepting a message", () => {
  it("stores it with its decisions and the lines that made them", async () => {
    const { store, judged, results } = await accept(fakeMessage({ text: "hello" }));
    const row = await store.read((tx) => findInboundById(tx, results[0]!.id));
    expect(row).toEqual(acceptedRow(judged[0]!, results[0]!));
    expect(row).toMatchObject({ state: "open", seq: 1, sessionKey: "agent:aria:fake:main:dm:ann", conv: "fake:main:ann:" });
    expect(JSON.parse(row!.decisionsJson)[0]).toEqual({
      stage: "access",
      code: "listed",
      why: "the sender is on the allow list",
      path: "channels.fake.accounts.main.allowFrom",
      at: "trunkline.yaml:7",
    });
  });

  it("claims the event: the same one again only raises the first row's counter, whatever it says", async () => {
    const first = fakeMessage({ id: "p1", text: "hello" });
    const { store, results } = await accept(first, { ...first, text: "something else" }, first);
    expect(results.map(({ duplicate }) => duplicate)).toEqual([false, true, true]);
    expect(new Set(results.map(({ id }) => id)).size).toBe(1);
    const row = await store.read((tx) => findInboundById(tx, results[0]!.id));
    expect(row?.duplicates).toBe(2);
    expect((JSON.parse(row!.bodyJson!) as InboundMessage).text).toBe("hello");
    expect(await store.read((tx) => inboundCounts(tx))).toMatchObject({ accepted: 1, duplicates: 2 });
    const [indexed] = await store.read((tx) => recentMessages(tx, { conv: "fake:main:ann:", limit: 5 }));
    expect(indexed?.text).toBe("hello");
  });

  it("takes the same words under another id for another message, and two edits for two events", async () => {
    const edit = fakeMessage({ id: "p1", kind: "edit", eventId: "1" });
    const { results } = await accept(fakeMessage({ id: "p1" }), fakeMessage({ id: "p2" }), edit, { ...edit, eventId: "2" }, edit);
    expect(results.map(({ duplicate }) => duplicate)).toEqual([false, false, false, false, true]);
  });

  it("keeps of a stranger only ids and the reason", async () => {
    const media = [{ kind: "image" as const, url: "channel:secret", fileName: "private.png" }];
    const { store, results } = await accept(
      fakeMessage({
        sender: eve,
        text: "my secret",
        media,
        labels: { explicit: "Label" },
        anchor: { kind: "reply", text: "quoted" },
        channelData: { raw: "x" },
        mentions: { bot: true, others: ["bob"] },
      }),
    );
    const row = await store.read((tx) => findInboundById(tx, results[0]!.id));
    const { kind, id, conversation, sentAt } = JSON.parse(row!.bodyJson!);
    expect(JSON.parse(row!.bodyJson!)).toEqual({
      kind,
      id,
      conversation,
      sentAt,
      sender: { id: "eve", isBot: false, isSelf: false },
      text: "",
      media: [],
      mentions: { bot: false, others: [] },
    });
    expect(await store.read((tx) => recentMessages(tx, { conv: "fake:main:ann:", limit: 5 }))).toEqual([]);
    expect(row).toMatchObject({ state: "done", disposition: "denied" });
  });

  it("cuts an enormous text, and says so", async () => {
    const { store, results } = await accept(fakeMessage({ text: "x".repeat(STORED_TEXT_CHARS + 1) }));
    const row = await store.read((tx) => findInboundById(tx, results[0]!.id));
    expect((JSON.parse(row!.bodyJson!) as InboundMessage).text).toBe(
      `${"x".repeat(STORED_TEXT_CHARS)}\n(the message was longer; the rest was cut)`,
    );
  });

  it("calls what nobody wrote a built-in default", () => {
    const decision = { stage: "s", code: "c", why: "w" };
    const config = { ...fakeSnapshot(), origin: () => undefined };
    expect(withOrigin({ ...decision, path: "a.b" }, config)).toEqual({ ...decision, path: "a.b", at: "built-in default" });
    expect(withOrigin(decision, config)).toBe(decision);
  });
});
