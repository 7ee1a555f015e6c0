import { createIds, type Decision, DISPOSITIONS } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { commitParts } from "../delivery/fake-outbox.ts";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeConfig, fakeSnapshot } from "../fake-config.ts";
import { DIRECT, fakeMessage, NEW_YEAR } from "../fake-message.ts";
import { tempStore } from "../fake-store.ts";
import { acceptJudged, judgedRow } from "../inbound/accept.ts";
import { turnIdOf } from "../reply/rows.ts";
import { finishInbound } from "../store/inbox.ts";
import { saveMessage } from "../store/messages.ts";
import { partsOfTurn, recordReceipt } from "../store/outbox.ts";
import { finishTurn, startTurn } from "../store/turns.ts";
import { deliveryOf, explainMessage, type Explanation, formatExplanation } from "./explain.ts";
import { meaningOf } from "./meaning.ts";

const decisions: readonly Decision[] = [
  { stage: "access", code: "listed", why: "the sender is on the allow list", path: "channels.fake.accounts.main.allowFrom" },
  { stage: "gate", code: "direct", why: "a direct message is always for the bot" },
];

/** The channel with links of its own: `see CONVERSATION MESSAGE`, a public name with # before it. */
const LINKED = {
  id: "fake",
  conversation: {
    ...createFakeChannel().plugin.conversation,
    parseLink(text: string) {
      const [, hash, place = "", messageId = ""] = /^see (#?)(\w+) (\w+)$/.exec(text) ?? [];
      if (messageId === "") return undefined;
      return { messageId, conversation: hash === "#" ? { handle: place } : { id: place } };
    },
  },
};

async function answered(conversationId = "ann", platformId = "p7") {
  const store = await tempStore();
  const ids = createIds(
    () => NEW_YEAR,
    () => 0.5,
  );
  const message = fakeMessage({
    id: platformId,
    text: "my secret",
    labels: { handle: "party" },
    conversation: { ...DIRECT, id: conversationId },
  });
  const verdict = { disposition: null, sessionKey: "s", decisions, keepText: true, stops: false, stranger: false };
  const row = judgedRow(ids.next("in"), message, verdict, fakeSnapshot(fakeConfig(), 4), NEW_YEAR);
  const turn = turnIdOf(row.id);
  await store.write(async (tx) => {
    await acceptJudged(tx, { message, verdict, row });
    await acceptJudged(tx, { message, verdict, row: { ...row, id: ids.next("in") } });
    await startTurn(tx, { id: turn, sessionKey: "s", owner: "o", inboxIdsJson: "[]", configRev: 4, startedAt: NEW_YEAR });
    await finishTurn(tx, { id: turn, state: "done", model: "script/one", endedAt: NEW_YEAR });
    await finishInbound(tx, { id: row.id, disposition: "replied", decisionsJson: row.decisionsJson, delivery: null });
  }, "durable");
  const [part] = await commitParts(store, [{ text: "the answer", turn, conversation: message.conversation }]);
  await store.write((tx) => recordReceipt(tx, { id: part!.id, receiptJson: '{"messageId":"88"}', sentAt: NEW_YEAR }), "durable");
  return { store, id: row.id, turn, part: part!.id };
}

describe("explaining a message", () => {
  it("finds it by its id, by its turn's, by a part's, by the platform's, and as the last one", async () => {
    const { store, id, turn, part } = await answered();
    for (const reference of [id, turn, part, "fake:main:ann/p7", "last"])
      expect((await explainMessage(reference, store)).id, reference).toBe(id);
  });

  it("finds conversations whose ids hold colons and slashes", async () => {
    const { store, id } = await answered("room:a/b");
    expect((await explainMessage("fake:main:room:a/b/p7", store)).id).toBe(id);
    expect((await explainMessage("fake:main:room%3Aa/b/p7", store)).id).toBe(id);
  });

  it.each(["in_NONE", "tn_NONE", "ob_NONE", "fake:main:ann/p8", "fake:main/p7", "fake:other:ann/p7", "nonsense", "", "/"])(
    "says that nothing is known about %j",
    async (reference) => {
      const { store } = await answered();
      await expect(explainMessage(reference, store)).rejects.toMatchObject({ code: "GATEWAY_NOT_FOUND" });
    },
  );

  it("finds what an answer answers, by the answer's own number", async () => {
    const { store, id } = await answered();
    await store.write(async (tx) => {
      const [part] = await partsOfTurn(tx, turnIdOf(id));
      const said = { direction: "out", author: "", text: "", replyTo: null, at: NEW_YEAR } as const;
      await saveMessage(tx, { conv: "fake:main:ann:", platformId: "88", ref: part!.id, ...said });
    }, "durable");
    expect((await explainMessage("fake:main:ann/88", store)).id).toBe(id);
    expect((await explainMessage("see ann 88", store, [LINKED])).id).toBe(id);
  });

  it("finds it by a link that its channel reads, in the conversation that the link names", async () => {
    const { store, id } = await answered();
    expect((await explainMessage("see ann p7", store, [LINKED])).id).toBe(id);
    expect((await explainMessage("see #party p7", store, [LINKED])).id).toBe(id);
    for (const link of ["see eve p7", "see ann p8", "see #other p7"])
      await expect(explainMessage(link, store, [LINKED]), link).rejects.toMatchObject({ code: "GATEWAY_NOT_FOUND" });
  });

  it("asks which account is meant when several know the linked message", async () => {
    const { store } = await answered();
    const message = fakeMessage({ id: "p7", conversation: { ...DIRECT, account: "other" } });
    const verdict = { disposition: "ignored" as const, sessionKey: null, decisions, keepText: true, stops: false, stranger: false };
    const row = judgedRow("in_OTHER", message, verdict, fakeSnapshot(fakeConfig(), 4), NEW_YEAR);
    await store.write((tx) => acceptJudged(tx, { message, verdict, row }), "durable");
    await expect(explainMessage("see ann p7", store, [LINKED])).rejects.toMatchObject({
      code: "GATEWAY_USAGE",
      message: expect.stringMatching(/fake:main:ann\/p7 or fake:other:ann\/p7/) as string,
    });
  });

  it("says that nothing is known when there is no message at all", async () => {
    await expect(explainMessage("last", await tempStore())).rejects.toMatchObject({ code: "GATEWAY_NOT_FOUND" });
  });

  it("tells outcome, duplicates, decisions, turn and parts, and nothing that was said", async () => {
    const { store, id, turn, part } = await answered();
    const explanation = await explainMessage(id, store);
    expect(explanation).toMatchObject({
      id,
      platformId: "p7",
      state: "done",
      disposition: "replied",
      delivery: "delivered",
      duplicates: 1,
      turn: { id: turn, attempts: 1, model: "script/one" },
      parts: [{ id: part, state: "sent", receipt: { messageId: "88" }, error: null }],
    });
    expect(JSON.stringify(explanation)).not.toMatch(/secret|the answer/);
  });

  it("reads like a report, with file and line of each deciding rule", async () => {
    const { store, id, turn, part } = await answered();
    expect(formatExplanation(await explainMessage(id, store))).toBe(
      [
        `${id}  fake:main:ann/p7`,
        "received  2026-01-01T00:00:00.000Z",
        "outcome   replied, delivered",
        "          it was answered",
        "duplicates  the platform sent it 1 more time; this is the first receipt",
        "",
        "decisions",
        "  access    listed: the sender is on the allow list",
        "            trunkline.yaml:7  channels.fake.accounts.main.allowFrom",
        "  gate      direct: a direct message is always for the bot",
        "",
        `turn      ${turn}, started 1x, script/one`,
        `part      ${part} final, sent {"messageId":"88"}`,
      ].join("\n"),
    );
  });

  it.each([
    [[], "none"],
    [["cancelled"], "none"],
    [["sent", "cancelled"], "delivered"],
    [["sent", "pending"], "pending"],
    [["sent", "ambiguous"], "pending"],
    [["dead", "sending"], "pending"],
    [["sent", "dead"], "partly"],
    [["dead", "dead"], "dead"],
  ] as const)("calls parts that are %j %s", (states, delivery) => {
    expect(deliveryOf(states.map((state) => ({ state, kind: "final" })))).toBe(delivery);
  });
});

const EXPLANATION: Explanation = {
  id: "in_1",
  channel: "irc",
  account: "main",
  conversation: "ann",
  thread: "",
  platformId: "42",
  receivedAt: 0,
  state: "done",
  disposition: "replied",
  delivery: "delivered",
  duplicates: 0,
  decisions: [{ stage: "access", code: "listed", why: "the sender is on the allow list", path: "a.b", at: "x.yaml:3" }],
  turn: null,
  parts: [],
};

describe("the report of a message", () => {
  it.each(DISPOSITIONS)("the outcome %s is told with what it means and why", (disposition) => {
    const text = formatExplanation({ ...EXPLANATION, disposition });
    expect(text).toContain(`outcome   ${disposition}`);
    expect(text).toContain(meaningOf(disposition));
    expect(text).toContain("access    listed: the sender is on the allow list");
    expect(text).toContain("x.yaml:3  a.b");
  });

  it("each outcome has a meaning of its own", () => {
    expect(new Set(DISPOSITIONS.map(meaningOf)).size).toBe(DISPOSITIONS.length);
    expect(meaningOf("from-the-future")).toContain("does not know");
  });
});
