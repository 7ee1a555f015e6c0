import { beforeEach, describe, expect, it } from "vitest";
import { ANN, clientId, conversation, createFakeGateway, type FakeGateway, openTab, OWNER, readTab } from "../test-support/rig.ts";

const SECOND = "00112233445566aa";
let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await createFakeGateway();
});

const list = async (who = ANN) => (await gateway.get("/web/conversations", who)).body.list;
const openSecond = async (client: string) => readTab(await gateway.request(`/web/events?client=${client}&c=${SECOND}`));

describe("several conversations", () => {
  it("begin with one, and another is listed once something is said in it", async () => {
    expect(await list()).toEqual([{ id: "main", title: "" }]);
    await gateway.post(clientId(1), "first words");
    await gateway.post(clientId(2), "something else", ANN, { c: SECOND });
    expect(await list()).toEqual([
      { id: SECOND, title: "something else" },
      { id: "main", title: "first words" },
    ]);
    expect(gateway.stored.map(({ inbound }) => inbound?.conversation.threadId)).toEqual([undefined, SECOND]);
  });

  it("do not see each other's messages, answers and previews", async () => {
    const first = await openTab(gateway, "a");
    const second = await openSecond("b");
    await first.next();
    await second.next();
    await gateway.post(clientId(1), "in the second", ANN, { c: SECOND });
    await gateway.deliver("k1", "answer in the second", { conversation: { ...conversation, threadId: SECOND } });
    expect((await second.next()).data.id).toBe(clientId(1));
    expect((await second.next()).data.id).toBe("k1");
    expect(await first.next()).toMatchObject({ name: "activity", data: { c: SECOND } });
    await gateway.post(clientId(2), "in the first");
    expect((await first.next()).data.id).toBe(clientId(2));
    expect((await (await openTab(gateway, "c")).next()).data.messages).toHaveLength(1);
  });

  it("are a visitor's own: the same name is another conversation for somebody else", async () => {
    await gateway.post(clientId(1), "Ann's", ANN, { c: SECOND });
    const other = readTab(await gateway.request(`/web/events?client=x&c=${SECOND}`, { who: OWNER }));
    expect((await other.next()).data.messages).toEqual([]);
    expect(await list(OWNER)).toEqual([{ id: "main", title: "" }]);
    expect((await gateway.call("/web/conversations/rename", { id: SECOND, title: "mine now" }, OWNER)).status).toBe(404);
    expect((await gateway.call("/web/conversations/delete", { id: SECOND }, OWNER)).status).toBe(404);
    expect((await list())[0].title).toBe("Ann's");
  });

  it("are renamed and deleted in all tabs; what was said in a deleted one is kept, and it comes back with the next word", async () => {
    await gateway.post(clientId(1), "hello", ANN, { c: SECOND });
    const tab = await openTab(gateway, "a");
    await tab.next();
    expect((await gateway.call("/web/conversations/rename", { id: SECOND, title: "  Trip\nto Oslo " })).status).toBe(200);
    expect((await tab.nextList())[0]).toEqual({ id: SECOND, title: "Trip to Oslo" });
    await gateway.call("/web/conversations/delete", { id: SECOND });
    expect(await tab.nextList()).toEqual([{ id: "main", title: "" }]);
    await gateway.post(clientId(2), "again", ANN, { c: SECOND });
    expect(await list()).toEqual([
      { id: SECOND, title: "again" },
      { id: "main", title: "" },
    ]);
    expect((await (await openSecond("b")).next()).data.messages).toHaveLength(2);
  });

  it("have an end, which is told", async () => {
    for (let n = 0; n < 99; n += 1) {
      expect((await gateway.post(clientId(n), "x", ANN, { c: n.toString(16).padStart(16, "0") })).status).toBe(202);
    }
    const refused = await gateway.post(clientId(500), "x", ANN, { c: "f".repeat(16) });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({ error: { message: expect.stringContaining("100 conversations") } });
  });

  it("are not found by a name that is none", async () => {
    for (const path of ["/web/events?client=a&c=nope", "/web/history?c=..&before=1:x", "/web/marks?c=x", "/web/media/k/0?c=x"])
      expect((await gateway.request(path))?.status, path).toBe(404);
    for (const path of ["/web/buttons", "/web/reactions", "/web/ack"]) expect((await gateway.call(path, { c: 7 })).status, path).toBe(404);
    for (const body of [undefined, {}, { id: 1 }, { id: "main", title: "x".repeat(81) }])
      expect((await gateway.call("/web/conversations/rename", body)).status).toBe(400);
  });
});

describe("older messages", () => {
  it("come page by page until the first one, each once", async () => {
    for (let n = 0; n < 230; n += 1) {
      await gateway.deliver(`k${n}`, "x");
      gateway.clock.advance(1000);
    }
    const { data } = await (await openTab(gateway, "a")).next();
    expect(data.more).toBe(true);
    const seen: string[] = data.messages.map(({ id }: { id: string }) => id);
    for (let more = true; more;) {
      const oldest = seen[0]!;
      const at = gateway.stored.find(({ id }) => id === oldest)?.at;
      const { body } = await gateway.get(`/web/history?before=${at}:${oldest}`);
      seen.unshift(...body.messages.map(({ id }: { id: string }) => id));
      more = body.more;
    }
    expect(seen).toEqual(Array.from({ length: 230 }, (_, n) => `k${n}`));
  });

  it("are none of a short conversation", async () => {
    await gateway.deliver("k1", "x");
    expect((await (await openTab(gateway, "a")).next()).data.more).toBe(false);
    for (const before of ["", "1", "x:y", "1:../x"]) expect((await gateway.get(`/web/history?before=${before}`)).status).toBe(400);
  });
});

describe("buttons in the chat", () => {
  const channelData = {
    buttons: [
      [
        { text: "Yes", value: "yes, do it" },
        { text: "No", value: "no" },
      ],
    ],
  };

  it("say their value once, show their words, and are pressed in every tab, now and later", async () => {
    await gateway.deliver("k1", "Shall I?", { channelData });
    const tab = await openTab(gateway, "a");
    const { data } = await tab.next();
    expect(data.messages[0].buttons).toEqual([
      [
        { n: 0, text: "Yes" },
        { n: 1, text: "No" },
      ],
    ]);
    expect(JSON.stringify(data)).not.toContain("do it");
    expect((await gateway.call("/web/buttons", { message: "k1", n: 0 })).status).toBe(202);
    expect(await tab.next()).toMatchObject({ name: "echo", data: { text: "Yes" } });
    expect(await tab.next()).toMatchObject({ name: "marks", data: { pressed: { k1: 0 } } });
    expect(gateway.stored.at(-1)?.inbound).toMatchObject({ kind: "message", text: "yes, do it", channelData: { button: "Yes" } });
    expect(await gateway.call("/web/buttons", { message: "k1", n: 1 })).toMatchObject({ status: 409 });
    expect(gateway.stored).toHaveLength(2);
    expect((await (await openTab(gateway, "b")).next()).data.marks.pressed).toEqual({ k1: 0 });
    expect((await gateway.get("/web/marks")).body.pressed).toEqual({ k1: 0 });
  });

  it("are one message when two are pressed at once", async () => {
    await gateway.deliver("k1", "Shall I?", { channelData });
    await Promise.all([gateway.call("/web/buttons", { message: "k1", n: 0 }), gateway.call("/web/buttons", { message: "k1", n: 1 })]);
    expect(gateway.stored.filter(({ direction }) => direction === "in")).toHaveLength(1);
  });

  it("are nobody else's, and nothing that was not offered", async () => {
    await gateway.deliver("k1", "Shall I?", { channelData });
    expect((await gateway.call("/web/buttons", { message: "k1", n: 0 }, OWNER)).status).toBe(404);
    for (const body of [{ message: "k1", n: 9 }, { message: "k2", n: 0 }, { n: 0 }, { message: "k1", n: "x" }, undefined])
      expect((await gateway.call("/web/buttons", body)).status).toBe(404);
    expect(gateway.stored).toHaveLength(1);
  });
});

describe("reactions", () => {
  const react = (emoji: unknown, who = ANN, n = 1, message: unknown = "k1") =>
    gateway.call("/web/reactions", { clientId: clientId(n), message, emoji }, who);

  it("reach the gateway as such, are shown in every tab, and can be taken away", async () => {
    await gateway.deliver("k1", "An answer");
    const tab = await openTab(gateway, "a");
    await tab.next();
    expect((await react("👍")).status).toBe(204);
    expect(gateway.stored.at(-1)?.inbound).toMatchObject({
      kind: "reaction",
      id: "k1",
      eventId: clientId(1),
      text: "👍",
      anchor: { kind: "reaction", messageId: "k1", text: "An answer", senderIsSelf: true },
    });
    expect(await tab.next()).toMatchObject({ name: "marks", data: { reactions: { k1: "👍" } } });
    expect((await (await openTab(gateway, "b")).next()).data.marks.reactions).toEqual({ k1: "👍" });
    expect((await react("", ANN, 2)).status).toBe(204);
    expect((await (await openTab(gateway, "c")).next()).data.marks.reactions).toEqual({});
  });

  it("are only those that are offered, to messages that are one's own to see", async () => {
    await gateway.deliver("k1", "An answer");
    for (const emoji of ["x", "<b>", 7, undefined]) expect((await react(emoji)).status).toBe(400);
    expect((await react("👍", OWNER)).status).toBe(404);
    expect((await react("👍", ANN, 1, "k9")).status).toBe(404);
    expect((await gateway.call("/web/reactions", { clientId: "x", message: "k1", emoji: "👍" })).status).toBe(400);
  });
});

describe("somebody who does too much", () => {
  it("is told to wait, and nobody else is held up", async () => {
    for (let n = 0; n < 120; n += 1) expect((await gateway.post(clientId(n), "x")).status).toBe(202);
    const refused = await gateway.post(clientId(200), "x");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await gateway.post(clientId(201), "x", OWNER)).status).toBe(202);
    gateway.clock.advance(60_000);
    expect((await gateway.post(clientId(200), "x")).status).toBe(202);
  });
});
