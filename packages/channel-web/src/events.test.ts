import { beforeEach, describe, expect, it } from "vitest";
import {
  ANN,
  clientId,
  conversation,
  createFakeGateway,
  type FakeGateway,
  openTab,
  OWNER,
  partOf,
  type SeenEvent,
  type Tab,
} from "../test-support/rig.ts";

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await createFakeGateway();
});

const ids = (events: readonly SeenEvent[]): string[] =>
  events.filter(({ name }) => name === "message" || name === "echo").map(({ data }) => data.id);
const snapshotIds = (event: SeenEvent): string[] => event.data.messages.map(({ id }: { id: string }) => id);

describe("a tab that opens", () => {
  it("is shown the history, and then everything as it happens", async () => {
    await gateway.post(clientId(1), "hello");
    await gateway.deliver("k1", "hi");
    const tab = await openTab(gateway, "a");
    const first = await tab.next();
    expect(first.name).toBe("snapshot");
    expect(first.data.messages).toEqual([
      { direction: "in", id: clientId(1), text: "hello", at: gateway.clock.now() },
      { direction: "out", id: "k1", html: "<p>hi</p>", plain: "hi", at: gateway.clock.now() },
    ]);
    await gateway.deliver("k2", "more", { replyToId: clientId(1), turn: "tn_1" });
    expect((await tab.next()).data).toMatchObject({ id: "k2", html: "<p>more</p>", replyTo: clientId(1), turn: "tn_1" });
  });

  it("is shown an answer whose receipt is not in the store yet", async () => {
    await gateway.transport.send(partOf("k1", "just sent"), new AbortController().signal);
    expect(snapshotIds(await (await openTab(gateway, "a")).next())).toEqual(["k1"]);
  });

  it("misses nothing that is said while its history is being read, and gets nothing twice", async () => {
    await gateway.deliver("k1", "one");
    gateway.beforeHistory = async () => {
      gateway.beforeHistory = async () => {};
      await gateway.deliver("k2", "two");
    };
    const tab = await openTab(gateway, "a");
    expect(snapshotIds(await tab.next())).toEqual(["k1", "k2"]);
    await gateway.deliver("k3", "three");
    expect((await tab.next()).data.id).toBe("k3");
  });

  it("sees the conversation of its own visitor alone", async () => {
    await gateway.post(clientId(1), "Ann's secret");
    const tab = await openTab(gateway, "a", undefined, OWNER);
    expect((await tab.next()).data.messages).toEqual([]);
    await gateway.deliver("k1", "for Ann");
    await gateway.post(clientId(2), "the owner's own", OWNER);
    expect((await tab.next()).data.id).toBe(clientId(2));
  });

  it("is told what another tab said", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    await gateway.post(clientId(1), "from the other tab");
    expect(await tab.next()).toMatchObject({ name: "echo", data: { direction: "in", id: clientId(1), text: "from the other tab" } });
  });

  it("is kept alive by a heartbeat every 15 seconds", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    gateway.clock.advance(15_000);
    expect((await tab.next()).name).toBe("heartbeat");
    gateway.clock.advance(15_000);
    expect((await tab.next()).name).toBe("heartbeat");
  });

  it("gets a readable refusal when the history cannot be read, and takes no place", async () => {
    gateway.beforeHistory = () => Promise.reject(new TypeError("broken"));
    const refused = await gateway.request("/web/events?client=a");
    expect(refused?.status).toBe(503);
    expect(await refused?.text()).not.toContain("broken");
    gateway.beforeHistory = async () => {};
    for (let n = 0; n < 64; n += 1) expect((await gateway.request(`/web/events?client=tab${n}`))?.status).toBe(200);
  });
});

describe("a tab that comes back", () => {
  it("is told exactly what it missed", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    await gateway.deliver("k1", "one");
    const last = await tab.next();
    await tab.leave();
    await gateway.deliver("k2", "two");
    await gateway.post(clientId(1), "three");
    const again = await openTab(gateway, "a", last.id);
    expect(await again.next()).toMatchObject({ name: "resume" });
    expect(ids([await again.next(), await again.next()])).toEqual(["k2", clientId(1)]);
    await gateway.deliver("k4", "four");
    expect((await again.next()).data.id).toBe("k4");
  });

  it("gets everything anew when the gateway was restarted meanwhile", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    await gateway.deliver("k1", "one");
    const last = await tab.next();
    const restarted = await createFakeGateway();
    restarted.stored.push(...gateway.stored);
    await restarted.deliver("k2", "two");
    const first = await (await openTab(restarted, "a", last.id)).next();
    expect(first.name).toBe("snapshot");
    expect(snapshotIds(first)).toEqual(["k1", "k2"]);
  });

  it("gets everything anew when it has been away for longer than the gateway remembers", async () => {
    const tab = await openTab(gateway, "a");
    const { id } = await tab.next();
    await tab.leave();
    for (let n = 0; n < 300; n += 1) await gateway.deliver(`k${n}`, "x");
    const first = await (await openTab(gateway, "a", id)).next();
    expect(first.name).toBe("snapshot");
    expect(snapshotIds(first).at(-1)).toBe("k299");
  });

  it("gets everything anew for an event id that makes no sense", async () => {
    for (const id of ["", "x", "1:2:3", ":::", "0".repeat(5000), "-1:-1"])
      expect((await (await openTab(gateway, "a", id)).next()).name).toBe("snapshot");
  });

  it("shows each message once over many cuts, whatever was acknowledged", async () => {
    let last: string | undefined;
    const seen: string[] = [];
    const sent: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const tab = await openTab(gateway, "a", last);
      const first = await tab.next();
      if (first.name === "snapshot") seen.push(...snapshotIds(first).filter((id) => !seen.includes(id)));
      const missed = sent.length - seen.length;
      for (let n = 0; n < missed; n += 1) seen.push((await tab.next()).data.id);
      for (let n = 0; n < 3; n += 1) await gateway.deliver(`k${sent.push(`k${sent.length}`) - 1}`, "x");
      const one = await tab.next();
      seen.push(one.data.id);
      last = one.id;
      const seq = Number(last?.split(":")[1]);
      expect((await gateway.request("/web/ack", { method: "POST", body: { client: "a", seq } }))?.status).toBe(204);
      await tab.leave();
    }
    expect(seen).toEqual(sent.slice(0, seen.length));
    expect(seen.length).toBeGreaterThanOrEqual(sent.length - 2);
  });

  it("takes its own old place instead of a second one", async () => {
    const old = await openTab(gateway, "a");
    await old.next();
    const again = await openTab(gateway, "a");
    await again.next();
    expect(await old.ended()).toBe(0);
    await gateway.deliver("k1", "one");
    expect((await again.next()).data.id).toBe("k1");
  });
});

describe("a part that is sent twice", () => {
  it("is one message", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    const signal = new AbortController().signal;
    const first = await gateway.transport.send(partOf("k1", "one"), signal);
    expect(await gateway.transport.send(partOf("k1", "one"), signal)).toEqual(first);
    expect(first.messageId).toBe("k1");
    await gateway.deliver("k2", "two");
    expect(ids([await tab.next(), await tab.next()])).toEqual(["k1", "k2"]);
  });

  it("needs nobody to be there", async () => {
    await gateway.deliver("k1", "one");
    expect(gateway.stored).toHaveLength(1);
  });
});

describe("a growing answer", () => {
  const preview = (turn: string, text?: string): void =>
    gateway.transport.preview?.({
      conversation,
      turn,
      ...(text === undefined ? {} : { text: { text, plain: text, length: text.length } }),
    });

  it("is shown at once, then at most every 50 ms, the newest first of all", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    for (const text of ["a", "ab", "abc"]) preview("tn_1", text);
    expect((await tab.next()).data).toEqual({ turn: "tn_1", html: "a" });
    gateway.clock.advance(49);
    preview("tn_1", "abcd");
    gateway.clock.advance(1);
    expect((await tab.next()).data.html).toBe("abcd");
    gateway.clock.advance(1000);
    preview("tn_1", "abcde");
    expect((await tab.next()).data.html).toBe("abcde");
  });

  it("gives way to the final message of its turn, and nothing of it comes after", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    preview("tn_1", "a");
    preview("tn_1", "ab");
    await gateway.deliver("k1", "abc", { turn: "tn_1" });
    gateway.clock.advance(1000);
    await gateway.deliver("k2", "next");
    const seen = [await tab.next(), await tab.next(), await tab.next()];
    expect(seen.map(({ name, data }) => data.id ?? `${name} ${data.html}`)).toEqual(["preview a", "k1", "k2"]);
  });

  it("is taken away without a trace when the turn ends silently", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    preview("tn_1", "a");
    preview("tn_1", "ab");
    preview("tn_1");
    gateway.clock.advance(1000);
    expect((await tab.next()).data.html).toBe("a");
    expect((await tab.next()).data).toEqual({ turn: "tn_1", html: "" });
    expect((await (await openTab(gateway, "b")).next()).data.preview).toBeNull();
  });

  it("is there for a tab that opens in its middle, and for one that comes back", async () => {
    const tab = await openTab(gateway, "a");
    const { id } = await tab.next();
    preview("tn_1", "so far");
    expect((await (await openTab(gateway, "b")).next()).data.preview).toEqual({ turn: "tn_1", html: "so far" });
    const again = await openTab(gateway, "a", id);
    expect((await again.next()).name).toBe("resume");
    expect((await again.next()).data.html).toBe("so far");
  });

  it("shows that somebody is typing before the first word", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    await gateway.transport.typing?.(conversation);
    expect(await tab.next()).toMatchObject({ name: "typing", id: undefined });
  });
});

describe("the bounds", () => {
  it("serve 64 tabs of an account, refuse the next in words, and take it once one has left", async () => {
    const tabs: Tab[] = [];
    for (let n = 0; n < 64; n += 1) tabs.push(await openTab(gateway, `tab${n}`, undefined, n % 2 === 0 ? ANN : OWNER));
    const refused = await gateway.request("/web/events?client=one-more");
    expect(refused?.status).toBe(503);
    expect(await refused?.json()).toEqual({ error: { message: expect.stringContaining("Too many tabs") } });
    expect((await gateway.request("/web/events?client=tab0"))?.status).toBe(200);
    await tabs[5]?.leave();
    expect((await gateway.request("/web/events?client=one-more"))?.status).toBe(200);
    expect((await gateway.request("/web/events?client=yet-another"))?.status).toBe(503);
  });

  it("cut a tab that does not read once a megabyte waits for it; it resumes without loss", async () => {
    const slow = await openTab(gateway, "slow");
    const { id } = await slow.next();
    const text = "x".repeat(100_000);
    for (let n = 0; n < 12; n += 1) await gateway.deliver(`k${n}`, text);
    expect(await slow.ended()).toBeLessThan(12);
    const again = await openTab(gateway, "slow", id);
    const first = await again.next();
    expect(first.name).toBe("snapshot");
    // The newest half a megabyte of them: the oldest are beyond what a page is given at once.
    expect(snapshotIds(first).at(-1)).toBe("k11");
  });

  it("let a single message through that is larger than a tab's whole buffer", async () => {
    const tab = await openTab(gateway, "a");
    const { id } = await tab.next();
    const huge = "x".repeat(1_500_000);
    await gateway.deliver("k1", huge);
    expect((await tab.next()).data.plain).toHaveLength(huge.length);
    await tab.leave();
    const again = await openTab(gateway, "a", id);
    await again.next();
    expect((await again.next()).data.plain).toHaveLength(huge.length);
    expect(snapshotIds(await (await openTab(gateway, "b")).next())).toEqual(["k1"]);
  });

  it("forget conversations that nobody looks at, which costs them nothing but a snapshot", async () => {
    const tab = await openTab(gateway, "a");
    const { id } = await tab.next();
    await tab.leave();
    for (let n = 0; n < 200; n += 1) {
      await gateway.deliver(`k${n}`, "x", { conversation: { ...conversation, id: n.toString(16).padStart(32, "0") } });
    }
    expect((await (await openTab(gateway, "a", id)).next()).name).toBe("snapshot");
  });

  it("end all streams when the account stops", async () => {
    const tab = await openTab(gateway, "a");
    await tab.next();
    await gateway.transport.stop();
    await gateway.transport.stop();
    expect(await tab.ended()).toBe(0);
    expect(gateway.states).toEqual(["connected", "stopped"]);
    expect((await gateway.request("/web/events?client=a"))?.status).toBe(503);
    await expect(gateway.transport.send(partOf("k1", "late"), new AbortController().signal)).rejects.toMatchObject({
      code: "DELIVERY_RETRY",
    });
  });
});
