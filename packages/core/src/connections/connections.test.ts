import { type ChannelHost, type ErrorCode, GatewayError, silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel, type FakeChannelOptions } from "../fake-channel.ts";
import { fakeAccount } from "../fake-config.ts";
import { NEW_YEAR } from "../fake-message.ts";
import { turnOfLoop } from "../fake-wait.ts";
import { TROUBLE_MS } from "./account-state.ts";
import { createConnections } from "./connections.ts";
import type { HostServices, LastTimes } from "./deps.ts";

const services: HostServices = {
  receive: async () => [],
  unreadable: async () => ({ id: "in_1", duplicate: false }),
  history: async () => [],
  message: async () => undefined,
  saveMedia: async () => ({ id: "m_1", size: 0 }),
  openMedia: async () => undefined,
  memory: { get: async () => undefined, set: async () => {} },
};

const NOTHING: LastTimes = { lastInboundAt: null, lastOutboundAt: null };

function setUp(options: FakeChannelOptions = {}, last: LastTimes = NOTHING) {
  const clock = createVirtualClock(NEW_YEAR);
  const fake = createFakeChannel(options);
  const connected: string[] = [];
  const alerted: string[] = [];
  const connections = createConnections({
    clock,
    logger: silentLogger,
    random: () => 0.5,
    services: () => services,
    onState: () => {},
    onConnected: (channel, account) => void connected.push(`${channel}:${account}`),
    onNeedsOperator: (channel, account, { code }) => void alerted.push(`${channel}:${account} ${code}`),
    isBusy: async () => false,
    lastTimes: async () => last,
  });
  const open = async (name = "main", enabled = true) => {
    connections.open(fake.plugin, name, fakeAccount({ enabled }));
    await turnOfLoop();
  };
  return { clock, fake, connections, connected, alerted, open, state: () => connections.statuses()[0]?.state };
}

const error = (code: ErrorCode, retryable = false, retryAfterMs?: number) =>
  new GatewayError(code, {
    detail: { channel: "fake", account: "main" },
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

describe("the supervisor of accounts", () => {
  it("connects an account and lets it send", async () => {
    const { connections, connected, open, fake } = setUp();
    await open();
    expect(connections.statuses()).toEqual([
      {
        channel: "fake",
        account: "main",
        state: "connected",
        lastSignAt: null,
        lastInboundAt: null,
        lastOutboundAt: null,
        lastError: null,
      },
    ]);
    expect(connected).toEqual(["fake:main"]);
    expect(connections.lineOf("fake", "main")).toMatchObject({ transport: fake.transport, onAmbiguous: "resend" });
    expect(connections.lineOf("fake", "other")).toBeUndefined();
    connections.noteInbound("fake", "main", 5);
    connections.noteOutbound("fake", "main", 6);
    connections.noteInbound("fake", "other", 7);
    expect(connections.statuses()[0]).toMatchObject({ lastInboundAt: 5, lastOutboundAt: 6 });
  });

  it("knows of the last messages before this start, and newer ones win", async () => {
    const { connections, open } = setUp({}, { lastInboundAt: 1, lastOutboundAt: 2 });
    await open();
    expect(connections.statuses()[0]).toMatchObject({ lastInboundAt: 1, lastOutboundAt: 2, lastSignAt: null });
    connections.noteInbound("fake", "main", 5);
    expect(connections.statuses()[0]).toMatchObject({ lastInboundAt: 5, lastOutboundAt: 2 });
  });

  it("stops an account of a channel that has no connection, and says so", async () => {
    const { fake, connections, alerted, state } = setUp();
    const { connect: _, ...rendersOnly } = fake.plugin;
    connections.open(rendersOnly, "main", fakeAccount({ enabled: true }));
    await turnOfLoop();
    expect(state()).toBe("needs-operator");
    expect(connections.statuses()[0]?.lastError).toMatchObject({ code: "CHANNEL_RENDERS_ONLY" });
    expect(connections.lineOf("fake", "main")).toBeUndefined();
    expect(alerted).toEqual(["fake:main CHANNEL_RENDERS_ONLY"]);
  });

  it("leaves a disabled account alone", async () => {
    const { connections, open, state } = setUp();
    await open("main", false);
    expect(state()).toBe("stopped");
    expect(connections.lineOf("fake", "main")).toBeUndefined();
  });

  it("tries again with growing pauses, or after the one that is asked for", async () => {
    const { clock, fake, connections, open, state } = setUp();
    fake.nextStart(
      error("CHANNEL_UNREACHABLE", true),
      new TypeError("undefined is not a function"),
      error("CHANNEL_UNREACHABLE", true, 30_000),
    );
    await open();
    expect(state()).toBe("backing-off");
    expect(connections.statuses()[0]?.lastError).toMatchObject({ code: "CHANNEL_UNREACHABLE", at: NEW_YEAR });
    expect(connections.lineOf("fake", "main")).toBeUndefined();
    expect(clock.pending()[0]).toBe(375);
    await clock.advance(375);
    expect(connections.statuses()[0]?.lastError).toMatchObject({ code: "CHANNEL_FAILED" });
    expect(clock.pending()[0]).toBe(750);
    await clock.advance(750);
    expect(clock.pending()[0]).toBe(30_000);
    await clock.advance(30_000);
    expect(state()).toBe("connected");
    expect(fake.stops()).toBe(3);
  });

  it("does not try again what only a person can mend", async () => {
    const { clock, fake, connections, alerted, open, state } = setUp();
    fake.nextStart(error("CHANNEL_TOKEN_REJECTED"));
    await open();
    expect(state()).toBe("needs-operator");
    expect(clock.pending()).toEqual([]);
    expect(connections.statuses()[0]?.lastError?.hint).toContain("token");
    expect(alerted).toEqual(["fake:main CHANNEL_TOKEN_REJECTED"]);
  });

  it("survives a channel that throws while it connects", async () => {
    const { clock, open, state } = setUp({
      plugin: {
        connect: () => {
          throw new Error("broken");
        },
      },
    });
    await open();
    expect(state()).toBe("backing-off");
    await clock.advance(375);
    expect(state()).toBe("backing-off");
  });

  it.each([
    { said: "deaf", line: true },
    { said: "backing-off", line: true },
    { said: "needs-operator", line: false },
  ] as const)("keeps what a transport said while it started: $said", async ({ said, line }) => {
    const { fake, connections, state } = setUp();
    const { plugin } = fake;
    const starting = {
      ...plugin,
      connect: (config: never, host: ChannelHost) => {
        const transport = plugin.connect(config, host);
        return { ...transport, start: async () => host.report(said, error("CHANNEL_CONFLICT")) };
      },
    };
    connections.open(starting, "main", fakeAccount({ enabled: true }));
    await turnOfLoop();
    expect(state()).toBe(said);
    expect(connections.lineOf("fake", "main") !== undefined, "may send").toBe(line);
  });

  it("follows what a running transport says of itself", async () => {
    const { fake, connections, connected, alerted, open, state } = setUp();
    await open();
    fake.host().report("deaf", error("CHANNEL_UNREACHABLE", true));
    expect(state()).toBe("deaf");
    expect(connections.lineOf("fake", "main")).toBeDefined();
    fake.host().report("needs-operator", error("CHANNEL_TOKEN_REJECTED"));
    expect(connections.lineOf("fake", "main")).toBeUndefined();
    fake.host().report("connected");
    expect(connections.lineOf("fake", "main")).toBeDefined();
    expect(connected).toHaveLength(2);
    expect(alerted).toEqual(["fake:main CHANNEL_TOKEN_REJECTED"]);
  });

  it("takes what was refused back when a send goes through again", async () => {
    const { connections, open, state } = setUp();
    await open();
    connections.noteRejected("fake", "main", error("CHANNEL_TOKEN_REJECTED"));
    expect(state()).toBe("needs-operator");
    connections.noteOutbound("fake", "main", 5);
    expect(state()).toBe("connected");
  });

  it("ends intake first, and keeps the line for what is still to be sent", async () => {
    const { fake, connections, open, state } = setUp();
    await open();
    const host: ChannelHost = fake.host();
    await connections.closeIntake();
    expect(host.signal.aborted).toBe(true);
    expect(connections.lineOf("fake", "main")).toBeDefined();
    host.report("deaf");
    expect(state()).toBe("connected");
    await connections.close();
    expect(connections.lineOf("fake", "main")).toBeUndefined();
    expect([state(), fake.stops()]).toEqual(["stopped", 1]);
  });

  it("ends while an account backs off, and while one hangs in its start", async () => {
    const waiting = setUp();
    waiting.fake.nextStart(error("CHANNEL_UNREACHABLE", true));
    await waiting.open();
    await waiting.connections.closeIntake();
    expect(waiting.clock.pending()).toEqual([]);

    const hanging = setUp();
    Object.assign(hanging.fake.transport, { start: () => new Promise(() => {}) });
    await hanging.open();
    expect(hanging.state()).toBe("starting");
    await hanging.connections.closeIntake();
    await hanging.connections.close();
    expect([hanging.state(), hanging.fake.stops()]).toEqual(["stopped", 1]);
  });
});

/** A channel that says it has to be heard every minute. Counts the connections that were made. */
function heardEveryMinute(fake: ReturnType<typeof createFakeChannel>, start?: () => Promise<void>) {
  let made = 0;
  const connect: typeof fake.plugin.connect = (config, host) => {
    made += 1;
    const transport = fake.plugin.connect(config, host);
    return { ...transport, silenceLimitMs: 60_000, start: start ?? (() => transport.start()) };
  };
  return { plugin: { ...fake.plugin, connect }, made: () => made };
}

describe("a connection that gives no sign of life", () => {
  const MINUTE = 60_000;

  it("is deaf after its limit, though it never failed, and is made anew", async () => {
    const { clock, fake, connections, connected, state } = setUp();
    const channel = heardEveryMinute(fake);
    connections.open(channel.plugin, "main", fakeAccount());
    await turnOfLoop();
    for (let minute = 0; minute < 30; minute += 1) {
      await clock.advance(MINUTE - 1);
      fake.host().alive();
    }
    expect([state(), channel.made()]).toEqual(["connected", 1]);
    expect(connections.statuses()[0]?.lastSignAt).toBe(clock.now());
    const before = fake.host();
    await clock.advance(MINUTE);
    expect(state()).toBe("deaf");
    expect(connections.statuses()[0]?.lastError).toMatchObject({ code: "CHANNEL_SILENT", message: expect.stringContaining("60 s") });
    expect([fake.stops(), before.signal.aborted]).toEqual([1, true]);
    await clock.advance(375);
    expect([state(), channel.made(), connected.length]).toEqual(["connected", 2, 2]);
    before.report("needs-operator", error("CHANNEL_TOKEN_REJECTED"));
    expect(state(), "what the old connection says no longer counts").toBe("connected");
  });

  it("is made anew again and again for 40 minutes, less and less often, and then it hears", async () => {
    const { clock, fake, connections, alerted, state } = setUp();
    const channel = heardEveryMinute(fake);
    connections.open(channel.plugin, "main", fakeAccount());
    await clock.advance(40 * MINUTE);
    expect(channel.made()).toBeGreaterThan(20);
    expect(channel.made()).toBeLessThan(40);
    expect(alerted, "the owner is told").toEqual(["fake:main CHANNEL_SILENT"]);
    fake.host().alive();
    expect(state()).toBe("connected");
  });

  it("is not expected to be heard while it says itself that it is in trouble, unless that never ends", async () => {
    const { clock, fake, connections, state } = setUp();
    const channel = heardEveryMinute(fake);
    connections.open(channel.plugin, "main", fakeAccount());
    await turnOfLoop();
    fake.host().report("backing-off", error("CHANNEL_UNREACHABLE", true));
    await clock.advance(9 * MINUTE);
    expect([state(), channel.made()]).toEqual(["backing-off", 1]);
    await clock.advance(2 * MINUTE);
    expect(channel.made()).toBe(2);
  });

  it("is given up when it hangs in its start, also on a channel that may be silent", async () => {
    const { clock, fake, connections, state } = setUp();
    Object.assign(fake.transport, { start: () => new Promise(() => {}) });
    connections.open(fake.plugin, "main", fakeAccount());
    await clock.advance(2 * MINUTE);
    expect(state()).toBe("deaf");
    Object.assign(fake.transport, { start: async () => {} });
    await clock.advance(375);
    expect(state()).toBe("connected");
    await clock.advance(24 * 60 * MINUTE);
    expect(state()).toBe("connected");
  });

  it("does not hold up the next one when its library hangs in its end", async () => {
    const { clock, fake, connections, state } = setUp();
    const channel = heardEveryMinute(fake);
    connections.open(channel.plugin, "main", fakeAccount());
    await turnOfLoop();
    Object.assign(fake.transport, { stop: () => new Promise(() => {}) });
    await clock.advance(MINUTE + 25_000);
    expect([state(), channel.made()]).toEqual(["connected", 2]);
  });
});

describe("an account in trouble", () => {
  it("is told to the owner when it does not get well by itself, once", async () => {
    const { clock, fake, alerted, open, state } = setUp();
    await open();
    fake.host().report("deaf", error("CHANNEL_CONFLICT", true));
    await clock.advance(TROUBLE_MS - 1);
    expect(alerted).toEqual([]);
    await clock.advance(1);
    await clock.advance(TROUBLE_MS * 10);
    expect([state(), ...alerted]).toEqual(["deaf", "fake:main CHANNEL_CONFLICT"]);
  });

  it("is not told when it recovers in time", async () => {
    const { clock, fake, alerted, open } = setUp();
    await open();
    for (let round = 0; round < 3; round += 1) {
      fake.host().report("backing-off", error("CHANNEL_UNREACHABLE", true));
      await clock.advance(TROUBLE_MS - 1);
      fake.host().report("connected");
    }
    await clock.advance(TROUBLE_MS);
    expect(alerted).toEqual([]);
  });
});
