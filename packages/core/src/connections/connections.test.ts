import { type ChannelHost, type ErrorCode, GatewayError, silentLogger } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { createFakeChannel, type FakeChannelOptions } from "../fake-channel.ts";
import { fakeAccount } from "../fake-config.ts";
import { NEW_YEAR } from "../fake-message.ts";
import { turnOfLoop } from "../fake-wait.ts";
import { createConnections, type HostServices } from "./connections.ts";

const services: HostServices = {
  receive: async () => [],
  unreadable: async () => ({ id: "in_1", duplicate: false }),
  history: async () => [],
  message: async () => undefined,
  saveMedia: async () => ({ id: "m_1", size: 0 }),
  openMedia: async () => undefined,
  memory: { get: async () => undefined, set: async () => {} },
};

function setUp(options: FakeChannelOptions = {}) {
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
      { channel: "fake", account: "main", state: "connected", lastInboundAt: null, lastOutboundAt: null, lastError: null },
    ]);
    expect(connected).toEqual(["fake:main"]);
    expect(connections.lineOf("fake", "main")).toMatchObject({ transport: fake.transport, onAmbiguous: "resend" });
    expect(connections.lineOf("fake", "other")).toBeUndefined();
    connections.noteInbound("fake", "main", 5);
    connections.noteOutbound("fake", "main", 6);
    connections.noteInbound("fake", "other", 7);
    expect(connections.statuses()[0]).toMatchObject({ lastInboundAt: 5, lastOutboundAt: 6 });
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
    expect(clock.pending()).toEqual([375]);
    await clock.advance(375);
    expect(connections.statuses()[0]?.lastError).toMatchObject({ code: "CHANNEL_FAILED" });
    expect(clock.pending()).toEqual([750]);
    await clock.advance(750);
    expect(clock.pending()).toEqual([30_000]);
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
