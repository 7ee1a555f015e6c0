import type { AccountStatus, Trouble } from "@trunkline/core";
import { GatewayError, type Store } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it } from "vitest";
import { readiness, untilStarted, watchStore } from "./readiness.ts";

const account = (state: AccountStatus["state"]): AccountStatus => ({
  channel: "web",
  account: "main",
  state,
  lastSignAt: null,
  lastInboundAt: null,
  lastOutboundAt: null,
  lastError: null,
});

/** What readiness asks of a pipeline. */
const pipeline = (accounts: readonly AccountStatus[], trouble: readonly Trouble[] = []) => ({
  accounts: () => accounts,
  trouble: () => trouble,
});

/** A store that does what a test says with what is written. */
function fakeStore() {
  const fake = { writes: 0, next: async (): Promise<void> => {} };
  const write = async (): Promise<unknown> => {
    fake.writes += 1;
    return fake.next();
  };
  return Object.assign(fake, { store: { write } as unknown as Store });
}

describe("a gateway", () => {
  it("is not ready while the store refuses what is written, says why without its path, and is again once the store recovers", async () => {
    const clock = createVirtualClock();
    const fake = fakeStore();
    const store = watchStore(fake.store, clock);
    const ask = () => readiness({ pipeline: pipeline([account("connected")]), closing: false, store });
    expect(await ask()).toEqual({ ready: true, why: [] });
    fake.next = async () => {
      throw new GatewayError("STORE_FULL", { detail: { path: "/srv/secret-place/trunkline.db" } });
    };
    expect((await ask()).ready, "asked again within the second").toBe(true);
    await clock.advance(1000);
    expect(await ask()).toEqual({ ready: false, why: ["the store refuses what is written: STORE_FULL"] });
    fake.next = async () => {};
    await clock.advance(1000);
    expect(await ask()).toEqual({ ready: true, why: [] });
    expect(clock.pending()).toEqual([]);
  });

  it("is not ready when the store does not answer, and asks it once however many ask", async () => {
    const clock = createVirtualClock();
    const fake = fakeStore();
    fake.next = () => new Promise(() => {});
    const store = watchStore(fake.store, clock);
    const asked = Promise.all([store(), store(), store()]);
    await clock.advance(5000);
    expect(new Set(await asked)).toEqual(new Set(["the store does not answer"]));
    expect(fake.writes).toBe(1);
  });

  it("is not ready while it starts, stops, or an account starts; an account that has trouble has said so", async () => {
    const of = (accounts: readonly AccountStatus[] | undefined, closing = false) =>
      readiness({ pipeline: accounts && pipeline(accounts), closing, store: async () => undefined });
    expect(await of(undefined)).toEqual({ ready: false, why: ["the gateway is starting"] });
    expect(await of([account("starting")])).toEqual({ ready: false, why: ["web:main is starting"] });
    expect((await of([account("backing-off"), account("needs-operator"), account("stopped")])).ready).toBe(true);
    expect((await of([account("connected")], true)).ready).toBe(false);
  });
});

describe("a gateway whose channels are paused", () => {
  it("is not ready, says why without a path, and writes nothing to find out", async () => {
    const { code, message, hint } = new GatewayError("STORE_DISK_LOW", { detail: { free: 10, floor: 1024 } });
    const low: Trouble = { code, message, hint, namesPath: false };
    const store = () => Promise.reject(new Error("nobody asked for a look"));
    const { ready, why } = await readiness({ pipeline: pipeline([account("connected")], [low]), closing: false, store });
    expect(ready).toBe(false);
    expect(why).toEqual([expect.stringContaining("channels are paused: STORE_DISK_LOW")]);
  });
});

describe("the end of a start", () => {
  it("waits for the page, and not for ever", async () => {
    const clock = createVirtualClock();
    let state: AccountStatus["state"] = "starting";
    const ends: string[] = [];
    const started = untilStarted("web", () => [account(state)], clock).then(() => ends.push("started"));
    await clock.advance(100);
    expect(ends).toEqual([]);
    state = "connected";
    await clock.advance(10);
    await started;
    state = "starting";
    const given = untilStarted("web", () => [account(state)], clock);
    await clock.advance(10_000);
    await given;
    await untilStarted("telegram", () => [account(state)], clock);
  });
});
