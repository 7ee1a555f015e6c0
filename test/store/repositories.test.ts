import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as access from "../../packages/core/src/store/access.ts";
import * as inbox from "../../packages/core/src/store/inbox.ts";
import * as messages from "../../packages/core/src/store/messages.ts";
import * as letters from "../../packages/core/src/store/dead-letters.ts";
import { refreshDelivery } from "../../packages/core/src/store/delivery-state.ts";
import * as outbox from "../../packages/core/src/store/outbox.ts";
import * as pairings from "../../packages/core/src/store/pairings.ts";
import { findSession, saveSession } from "../../packages/core/src/store/sessions.ts";
import { eraseSteps, saveStep, stepsOfTurn } from "../../packages/core/src/store/steps.ts";
import { appendTranscript, lastTranscriptN, loadTranscript } from "../../packages/core/src/store/transcripts.ts";
import { findTurn, finishTurn, startTurn } from "../../packages/core/src/store/turns.ts";
import type { StoreTx } from "../../packages/plugin-sdk/src/index.ts";
import { postgresDatabase, sqliteDatabase, type TestDatabase, type TestStore } from "./databases.ts";
import { granted, inbound, message, part, request } from "./samples.ts";

describe.each([
  ["SQLite", sqliteDatabase],
  ["PostgreSQL", postgresDatabase],
] as const)("on %s", (_name, start) => {
  let database: TestDatabase;
  let subject: TestStore;
  beforeAll(async () => {
    database = await start();
  }, 60_000);
  afterAll(() => database?.stop());
  beforeEach(async () => {
    subject = await database.open();
  });
  afterEach(() => subject.dispose());

  const write = <T>(unit: (tx: StoreTx) => Promise<T>): Promise<T> => subject.store.write(unit, "committed");
  const read = <T>(query: (tx: StoreTx) => Promise<T>): Promise<T> => subject.store.read(query);
  const statements = async (run: () => Promise<unknown>): Promise<number> => {
    const before = subject.store.stats().statements;
    await run();
    return subject.store.stats().statements - before;
  };

  describe("requests to be let in", () => {
    it("are one per sender and account, and are forgotten when they have expired", async () => {
      await write(async (tx) => {
        await pairings.savePairing(tx, request("ann"));
        await pairings.savePairing(tx, request("bob", { createdAt: 900, state: "denied" }));
        await pairings.savePairing(tx, request("carl", { createdAt: 800, expiresAt: 2_000 }));
        await pairings.savePairing(tx, request("ann", { account: "second", createdAt: 700 }));
        await pairings.countAttempt(tx, request("ann"));
      });
      const main = { channel: "irc", account: "main" };
      const live = await read((tx) => pairings.livePairings(tx, { ...main, now: 2_000 }));
      expect(live.map(({ sender, attempts }) => [sender, attempts])).toEqual([
        ["ann", 1],
        ["bob", 0],
      ]);
      const waiting = await read((tx) => pairings.waitingPairings(tx, 1_999));
      expect(waiting.map(({ account, sender }) => `${account} ${sender}`)).toEqual(["second ann", "main carl", "main ann"]);
      await write((tx) => pairings.deleteExpiredPairings(tx, { ...main, now: 2_000 }));
      await write((tx) => pairings.savePairing(tx, request("ann", { code: "WXYZ6789" })));
      await write((tx) => pairings.deletePairing(tx, request("bob")));
      const left = await read((tx) => pairings.livePairings(tx, { ...main, now: 0 }));
      expect(left).toEqual([request("ann", { code: "WXYZ6789" })]);
    });
  });

  describe("who was let in", () => {
    it("is kept per account, and gone when it is taken back", async () => {
      await write((tx) => access.grantAccess(tx, granted("ann")));
      await write((tx) => access.grantAccess(tx, granted("ann", { grantedAt: 2_000 })));
      await write((tx) => access.grantAccess(tx, granted("ann", { account: "second" })));
      expect(await read((tx) => access.isApproved(tx, granted("ann")))).toBe(true);
      expect(await read((tx) => access.isApproved(tx, granted("bob")))).toBe(false);
      expect(await write((tx) => access.revokeAccess(tx, granted("ann")))).toBe(true);
      expect(await write((tx) => access.revokeAccess(tx, granted("ann")))).toBe(false);
      expect(await read((tx) => access.allAccess(tx))).toEqual([granted("ann", { account: "second" })]);
    });
  });

  describe("the inbox", () => {
    it("numbers messages per conversation, in the order in which they are accepted", async () => {
      const other = { conv: "irc:main:other", conversation: "other" };
      const results = await Promise.all([
        write((tx) => inbox.acceptInbound(tx, inbound(1))),
        write((tx) => inbox.acceptInbound(tx, inbound(2, other))),
        write((tx) => inbox.acceptInbound(tx, inbound(3))),
      ]);
      expect(results).toEqual([
        { id: "in_0001", seq: 1, duplicate: false, duplicates: 0 },
        { id: "in_0002", seq: 1, duplicate: false, duplicates: 0 },
        { id: "in_0003", seq: 2, duplicate: false, duplicates: 0 },
      ]);
    });

    it("lets a waiting message be changed, and join the turn of another", async () => {
      await write((tx) => inbox.acceptInbound(tx, inbound(1)));
      await write((tx) => inbox.acceptInbound(tx, inbound(2)));
      await write((tx) => inbox.rewriteInbound(tx, { id: "in_0002", bodyJson: '{"text":"new"}' }));
      await write((tx) => inbox.joinTurn(tx, { id: "in_0002", turn: "tn_0001" }));
      const rows = await read((tx) => inbox.inboundByIds(tx, ["in_0002", "in_0009", "in_0001"]));
      expect(rows.map(({ id, turn, bodyJson }) => [id, turn, bodyJson === inbound(1).bodyJson])).toEqual([
        ["in_0002", "tn_0001", false],
        ["in_0001", null, true],
      ]);
    });

    it("counts an event that comes again on its first row and keeps that row as it was", async () => {
      await write((tx) => inbox.acceptInbound(tx, inbound(1)));
      const again = inbound(2, { platformId: "1", bodyJson: '{"text":"other"}' });
      expect(await write((tx) => inbox.acceptInbound(tx, again))).toEqual({
        id: "in_0001",
        seq: 1,
        duplicate: true,
        duplicates: 1,
      });
      expect(await write((tx) => inbox.acceptInbound(tx, again))).toMatchObject({
        id: "in_0001",
        duplicates: 2,
      });
      expect(await read((tx) => inbox.findInboundById(tx, "in_0001"))).toEqual({
        ...inbound(1),
        seq: 1,
        delivery: null,
        turn: null,
        duplicates: 2,
      });
      expect(await read((tx) => inbox.findInboundById(tx, "in_0002"))).toBeUndefined();
    });

    it("takes an edit, a reaction and the same id in another thread as events of their own", async () => {
      const variants = [
        {},
        { kind: "edit", version: "5" },
        { kind: "edit", version: "6" },
        { kind: "reaction", version: "5" },
        { thread: "t", conv: "irc:main:room/t" },
      ];
      for (const [i, change] of variants.entries()) {
        const result = await write((tx) => inbox.acceptInbound(tx, inbound(i + 1, { platformId: "77", ...change })));
        expect(result.duplicate).toBe(false);
      }
      const found = await read((tx) =>
        inbox.findInboundByPlatformId(tx, {
          channel: "irc",
          account: "main",
          conversation: "room",
          platformId: "77",
        }),
      );
      expect(found.map((row) => row.id)).toEqual(["in_0001", "in_0002", "in_0003", "in_0004", "in_0005"]);
    });

    it("takes two statements to accept, first time or duplicate", async () => {
      expect(await statements(() => write((tx) => inbox.acceptInbound(tx, inbound(1))))).toBe(2);
      expect(await statements(() => write((tx) => inbox.acceptInbound(tx, inbound(2, { platformId: "1" }))))).toBe(2);
    });

    it("finds the newest request to stop of each session that has no outcome, whatever people wrote", async () => {
      const stop = (n: number, sessionKey: string) =>
        inbound(n, { sessionKey, decisionsJson: '[{"stage":"abort","code":"stop-command"}]' });
      await write((tx) => inbox.acceptInbound(tx, inbound(1)));
      for (const n of [3, 2]) await write((tx) => inbox.acceptInbound(tx, stop(n, "session-1")));
      await write((tx) => inbox.acceptInbound(tx, { ...stop(4, "session-2"), state: "done", disposition: "command" }));
      const quoted = JSON.stringify([{ stage: "hook", why: 'somebody wrote "stage":"abort"' }]);
      await write((tx) => inbox.acceptInbound(tx, inbound(5, { sessionKey: "session-3", decisionsJson: quoted })));
      expect(await read((tx) => inbox.openStopRequests(tx))).toEqual([{ sessionKey: "session-1", id: "in_0003" }]);
    });

    it("lists the open messages of a session in order until they have an outcome", async () => {
      for (const n of [3, 1, 2]) await write((tx) => inbox.acceptInbound(tx, inbound(n)));
      await write((tx) => inbox.acceptInbound(tx, inbound(4, { sessionKey: "session-2" })));
      await write((tx) => inbox.acceptInbound(tx, inbound(5, { sessionKey: null, state: "done", disposition: "not-mentioned" })));
      const open = (sessionKey: string, limit = 10) => read((tx) => inbox.openInboundOfSession(tx, { sessionKey, limit }));
      expect((await open("session-1")).map((row) => row.id)).toEqual(["in_0001", "in_0002", "in_0003"]);
      expect((await open("session-1", 2)).map((row) => row.id)).toEqual(["in_0001", "in_0002"]);
      expect(await read((tx) => inbox.openSessionKeys(tx))).toEqual(["session-1", "session-2"]);
      expect(await read((tx) => inbox.openStopRequests(tx))).toEqual([]);
      await write((tx) =>
        inbox.finishInbound(tx, {
          id: "in_0004",
          disposition: "replied",
          decisionsJson: '["x"]',
          delivery: "pending",
        }),
      );
      expect(await read((tx) => inbox.openSessionKeys(tx))).toEqual(["session-1"]);
      expect(await open("session-2")).toEqual([]);
      expect(await read((tx) => inbox.findInboundById(tx, "in_0004"))).toMatchObject({
        state: "done",
        disposition: "replied",
        decisionsJson: '["x"]',
        delivery: "pending",
      });
    });

    it("keeps the delivery that its parts made of a message when it ends without more of them", async () => {
      await write((tx) => inbox.acceptInbound(tx, inbound(1)));
      const end = { id: "in_0001", disposition: "replied", decisionsJson: "[]" } as const;
      await write((tx) => inbox.finishInbound(tx, { ...end, delivery: "delivered" }));
      await write((tx) => inbox.finishInbound(tx, { ...end, delivery: null }));
      expect(await read((tx) => inbox.findInboundById(tx, "in_0001"))).toMatchObject({ delivery: "delivered" });
    });

    it("finds the newest message of a conversation and of all", async () => {
      expect(await read((tx) => inbox.lastInbound(tx))).toBeUndefined();
      await write((tx) => inbox.acceptInbound(tx, inbound(1)));
      await write((tx) => inbox.acceptInbound(tx, inbound(2, { conv: "irc:main:other", conversation: "other" })));
      expect((await read((tx) => inbox.lastInbound(tx)))?.id).toBe("in_0002");
      expect((await read((tx) => inbox.lastInbound(tx, { conv: "irc:main:room" })))?.id).toBe("in_0001");
      expect(await read((tx) => inbox.lastInbound(tx, { conv: "nowhere" }))).toBeUndefined();
    });

    it("counts so that accepted is open plus the sum of dispositions", async () => {
      expect(await read((tx) => inbox.inboundCounts(tx))).toEqual({
        accepted: 0,
        open: 0,
        duplicates: 0,
        dispositions: {},
      });
      for (const n of [1, 2, 3, 4]) await write((tx) => inbox.acceptInbound(tx, inbound(n)));
      await write((tx) => inbox.acceptInbound(tx, inbound(5, { state: "done", disposition: "denied", bodyJson: null })));
      await write((tx) => inbox.acceptInbound(tx, inbound(6, { platformId: "1" })));
      await write((tx) => inbox.acceptInbound(tx, inbound(7, { platformId: "5" })));
      for (const id of ["in_0001", "in_0002"]) {
        await write((tx) =>
          inbox.finishInbound(tx, {
            id,
            disposition: "replied",
            decisionsJson: "[]",
            delivery: "pending",
          }),
        );
      }
      expect(await read((tx) => inbox.inboundCounts(tx))).toEqual({
        accepted: 5,
        open: 2,
        duplicates: 2,
        dispositions: { replied: 2, denied: 1 },
      });
    });
  });

  describe("turns and steps", () => {
    const args = {
      id: "tn_1",
      sessionKey: "session-1",
      owner: "gateway-a",
      inboxIdsJson: '["in_1"]',
      configRev: 3,
      startedAt: 100,
    };

    it("counts the starts of a turn and keeps the time of the first", async () => {
      expect(await write((tx) => startTurn(tx, args))).toEqual({ attempts: 1 });
      expect(await write((tx) => startTurn(tx, { ...args, owner: "gateway-b", startedAt: 200 }))).toEqual({ attempts: 2 });
      expect(await read((tx) => findTurn(tx, "tn_1"))).toEqual({
        ...args,
        owner: "gateway-b",
        state: "running",
        attempts: 2,
        epoch: 0,
        model: null,
        endedAt: null,
      });
      await write((tx) => finishTurn(tx, { id: "tn_1", state: "done", model: "demo/guide", endedAt: 300 }));
      expect(await read((tx) => findTurn(tx, "tn_1"))).toMatchObject({
        state: "done",
        model: "demo/guide",
        endedAt: 300,
      });
      expect(await read((tx) => findTurn(tx, "tn_2"))).toBeUndefined();
    });

    it("keeps the journal of a turn in order, the result over the intention", async () => {
      const step = {
        turn: "tn_1",
        kind: "tool",
        requestHash: "h",
        resultJson: null,
        usageJson: null,
      } as const;
      for (const n of [10, 2, 0]) await write((tx) => saveStep(tx, { ...step, n, state: "intended" }));
      await write((tx) => saveStep(tx, { ...step, turn: "tn_2", n: 1, state: "intended" }));
      await write((tx) => saveStep(tx, { ...step, n: 2, state: "done", resultJson: '{"ok":true}', usageJson: "{}" }));
      expect(await read((tx) => stepsOfTurn(tx, "tn_1"))).toEqual([
        { ...step, n: 0, state: "intended" },
        { ...step, n: 2, state: "done", resultJson: '{"ok":true}', usageJson: "{}" },
        { ...step, n: 10, state: "intended" },
      ]);
      await write((tx) => eraseSteps(tx, "tn_1"));
      expect(await read((tx) => stepsOfTurn(tx, "tn_1"))).toEqual([]);
      expect(await read((tx) => stepsOfTurn(tx, "tn_2"))).toHaveLength(1);
    });
  });

  describe("the outbox", () => {
    const open = (conv = "irc:main:room") => read((tx) => outbox.openPartsOfConversation(tx, { conv, limit: 10 }));

    it("tells how many parts of its reply a turn has, whatever became of them", async () => {
      const parts = () => read((tx) => outbox.replyPartCount(tx, "tn_1"));
      expect(await parts()).toBe(0);
      await write((tx) =>
        outbox.insertParts(
          tx,
          [0, 1].map((n) => part(n, { kind: n === 0 ? "block" : "final" })),
        ),
      );
      await write((tx) =>
        outbox.insertParts(tx, [part(7, { kind: "alert" }), part(8, { kind: "final", turn: "tn_2" }), part(9, { kind: "preview" })]),
      );
      await write((tx) => outbox.cancelPartsOfTurn(tx, "tn_1"));
      expect(await parts()).toBe(2);
    });

    it("lets the first part of a conversation start at once and the others wait", async () => {
      const insert = async (n: number, change = {}) => (await write((tx) => outbox.insertParts(tx, [part(n, change)])))[0]?.state;
      expect(await insert(1)).toBe("sending");
      expect(await insert(2)).toBe("pending");
      expect(await insert(3, { conv: "irc:main:other" })).toBe("sending");
      await write((tx) => outbox.recordReceipt(tx, { id: "ob_0001", receiptJson: '{"id":"m1"}', sentAt: 50 }));
      expect(await insert(4)).toBe("pending");
      await write((tx) => outbox.markSending(tx, "ob_0002"));
      await write((tx) =>
        outbox.recordAttempt(tx, {
          id: "ob_0002",
          state: "dead",
          attempts: 3,
          nextAt: 0,
          errorJson: '{"code":"X"}',
        }),
      );
      await write((tx) =>
        outbox.recordAttempt(tx, {
          id: "ob_0004",
          state: "cancelled",
          attempts: 0,
          nextAt: 0,
          errorJson: null,
        }),
      );
      expect(await insert(5)).toBe("sending");
      expect((await open()).map((row) => row.id)).toEqual(["ob_0005"]);
    });

    it("sees the parts that the same transaction inserted before", async () => {
      const rows = await write((tx) => outbox.insertParts(tx, [part(1), part(2)]));
      expect(rows.map((row) => row.state)).toEqual(["sending", "pending"]);
    });

    it("gives of several parts those that are new", async () => {
      await write((tx) => outbox.insertParts(tx, [part(1)]));
      const rows = [part(2, { key: "key-1" }), part(3)];
      expect((await write((tx) => outbox.insertParts(tx, rows))).map(({ id, state }) => [id, state])).toEqual([["ob_0003", "pending"]]);
      expect((await read((tx) => outbox.findPartByKey(tx, "key-1")))?.id).toBe("ob_0001");
    });

    it("adds nothing for a key that exists", async () => {
      await write((tx) => outbox.insertParts(tx, [part(1)]));
      await write((tx) => outbox.recordReceipt(tx, { id: "ob_0001", receiptJson: "{}", sentAt: 50 }));
      const again = part(2, { key: "key-1", bodyJson: '{"text":"other"}' });
      expect(await write((tx) => outbox.insertParts(tx, [again]))).toEqual([]);
      expect(await statements(() => write((tx) => outbox.insertParts(tx, [part(3)])))).toBe(1);
      const parts = await read((tx) => outbox.partsOfTurn(tx, "tn_1"));
      expect(parts.map((row) => [row.id, row.state])).toEqual([
        ["ob_0001", "sent"],
        ["ob_0003", "sending"],
      ]);
      expect(parts[0]).toEqual({
        ...part(1),
        state: "sent",
        attempts: 0,
        interrupts: 0,
        nextAt: 0,
        receiptJson: "{}",
        errorJson: null,
        sentAt: 50,
        deadAt: null,
      });
    });

    it("calls ambiguous what was being sent at a crash, and only that", async () => {
      for (const n of [1, 2]) await write((tx) => outbox.insertParts(tx, [part(n)]));
      await write((tx) => outbox.insertParts(tx, [part(3, { conv: "irc:main:other", turn: null })]));
      expect(await read((tx) => outbox.openPartConversations(tx))).toEqual(["irc:main:other", "irc:main:room"]);
      expect(await write((tx) => outbox.markInterrupted(tx))).toBe(2);
      expect((await open()).map((row) => row.state)).toEqual(["ambiguous", "pending"]);
      expect(await write((tx) => outbox.markInterrupted(tx))).toBe(0);
      expect(await read((tx) => outbox.openPartCount(tx))).toBe(3);
      expect(await read((tx) => outbox.oldestOpenPart(tx))).toBe(part(1).createdAt);
    });

    it("cancels the pending parts of a turn and lets a sending one finish", async () => {
      for (const n of [1, 2, 3]) await write((tx) => outbox.insertParts(tx, [part(n)]));
      await write((tx) => outbox.insertParts(tx, [part(4, { turn: "tn_2" })]));
      expect(await write((tx) => outbox.cancelPartsOfTurn(tx, "tn_1"))).toBe(2);
      expect((await open()).map((row) => [row.id, row.state])).toEqual([
        ["ob_0001", "sending"],
        ["ob_0004", "pending"],
      ]);
    });

    it("finds a part by its id", async () => {
      await write((tx) => outbox.insertParts(tx, [part(1)]));
      expect(await read((tx) => outbox.findPart(tx, "ob_0001"))).toMatchObject(part(1));
      expect(await read((tx) => outbox.findPart(tx, "ob_0002"))).toBeUndefined();
    });

    it("keeps what an attempt came to, and another body for the next one", async () => {
      await write((tx) => outbox.insertParts(tx, [part(1)]));
      await write((tx) =>
        outbox.recordAttempt(tx, {
          id: "ob_0001",
          state: "pending",
          attempts: 2,
          nextAt: 9_000,
          errorJson: '{"code":"X"}',
        }),
      );
      await write((tx) => outbox.replaceBody(tx, { id: "ob_0001", op: "edit", bodyJson: '{"text":"plain"}' }));
      expect((await open())[0]).toMatchObject({
        state: "pending",
        attempts: 2,
        nextAt: 9_000,
        errorJson: '{"code":"X"}',
        op: "edit",
        bodyJson: '{"text":"plain"}',
      });
    });

    it("sends what a platform may have seen before what waits, whatever its id", async () => {
      for (const n of [5, 6]) await write((tx) => outbox.insertParts(tx, [part(n)]));
      await write((tx) => outbox.insertParts(tx, [part(1)]));
      expect((await open()).map((row) => [row.id, row.state])).toEqual([
        ["ob_0005", "sending"],
        ["ob_0001", "pending"],
        ["ob_0006", "pending"],
      ]);
    });

    it("counts the ends of the process during a part's sends", async () => {
      await write((tx) => outbox.insertParts(tx, [part(1)]));
      for (const interrupts of [1, 2]) {
        await write((tx) => outbox.markInterrupted(tx));
        expect((await open())[0]).toMatchObject({ state: "ambiguous", interrupts });
        await write((tx) => outbox.recordAttempt(tx, { id: "ob_0001", state: "sending", attempts: 1, nextAt: 0, errorJson: null }));
      }
    });
  });

  describe("dead letters", () => {
    const bury = (n: number, deadAt: number) =>
      write((tx) => letters.buryPart(tx, { id: `ob_000${n}`, turn: "tn_0001", attempts: 1, errorJson: "{}", deadAt }));
    const delivery = async () => (await read((tx) => inbox.findInboundById(tx, "in_0001")))?.delivery;
    const sent = (n: number) =>
      write(async (tx) => {
        await outbox.recordReceipt(tx, { id: `ob_000${n}`, receiptJson: "{}", sentAt: 1 });
        await refreshDelivery(tx, "tn_0001");
      });
    const answer = async (...ns: number[]) => {
      await write((tx) => inbox.acceptInbound(tx, inbound(1)));
      for (const n of ns) await write((tx) => outbox.insertParts(tx, [part(n, { turn: "tn_0001" })]));
    };

    it("are listed, newest first, and make of a message what was delivered of it", async () => {
      await answer(1, 2, 3);
      await bury(1, 100);
      expect(await delivery()).toBe("pending");
      await sent(2);
      await bury(3, 300);
      expect(await delivery()).toBe("partly");
      expect((await read((tx) => letters.deadLetters(tx, 10))).map(({ id, deadAt }) => [id, deadAt])).toEqual([
        ["ob_0003", 300],
        ["ob_0001", 100],
      ]);
      expect(await read((tx) => letters.deadLetterCount(tx))).toBe(2);
    });

    it("are tried again under their id and key, once", async () => {
      await answer(1);
      await bury(1, 100);
      expect(await delivery()).toBe("dead");
      const retry = () => write((tx) => letters.retryDeadLetter(tx, { id: "ob_0001", now: 900 }));
      expect(await retry()).toMatchObject({ id: "ob_0001", key: "key-1", state: "pending", attempts: 0, interrupts: 0, createdAt: 900 });
      expect(await retry()).toBeUndefined();
      expect(await delivery()).toBe("pending");
      await sent(1);
      expect(await delivery()).toBe("delivered");
    });

    it("that were dropped are off the list, and what they were part of stays undelivered", async () => {
      await answer(1, 2);
      await bury(1, 100);
      await bury(2, 200);
      expect(await write((tx) => letters.dropDeadLetter(tx, "ob_0001"))).toMatchObject({ id: "ob_0001", state: "dead" });
      expect(await write((tx) => letters.dropDeadLetter(tx, "ob_0001"))).toBeUndefined();
      expect(await write((tx) => letters.retryDeadLetter(tx, { id: "ob_0001", now: 900 }))).toBeUndefined();
      await write((tx) => letters.retryDeadLetter(tx, { id: "ob_0002", now: 900 }));
      await sent(2);
      expect(await delivery()).toBe("partly");
      expect(await read((tx) => letters.deadLetterCount(tx))).toBe(0);
    });

    it("leave previews and words about them out of what was delivered", async () => {
      await answer(1);
      await write((tx) =>
        outbox.insertParts(tx, [part(2, { turn: "tn_0001", kind: "preview" }), part(3, { turn: "tn_0001", kind: "undelivered" })]),
      );
      await sent(1);
      expect(await delivery()).toBe("delivered");
    });

    it("are deleted by age, some at a time, and only they", async () => {
      await answer(1, 2, 3, 4);
      for (const n of [1, 2, 3]) await bury(n, n * 100);
      const prune = () => write((tx) => letters.pruneDeadLetters(tx, { before: 300, limit: 1 }));
      expect([await prune(), await prune(), await prune()]).toEqual([1, 1, 0]);
      expect((await read((tx) => outbox.partsOfTurn(tx, "tn_0001"))).map(({ id }) => id)).toEqual(["ob_0003", "ob_0004"]);
    });
  });

  describe("messages", () => {
    const recent = (before?: { at: number; platformId: string }, limit = 10) =>
      read((tx) =>
        messages.recentMessages(tx, {
          conv: "irc:main:room",
          limit,
          ...(before === undefined ? {} : { before }),
        }),
      );

    it("keeps the newest version of a message", async () => {
      await write((tx) => messages.saveMessage(tx, message("1")));
      await write((tx) => messages.saveMessage(tx, message("1", { text: "edited", replyTo: "0", ref: "in_1" })));
      expect(await read((tx) => messages.findMessage(tx, { conv: "irc:main:room", platformId: "1" }))).toEqual(
        message("1", { text: "edited", replyTo: "0", ref: "in_1" }),
      );
      expect(await read((tx) => messages.findMessage(tx, { conv: "irc:main:room", platformId: "2" }))).toBeUndefined();
    });

    it("lists newest first, counting up ids that came in the same second, page by page", async () => {
      for (const id of ["10", "9", "11", "100"]) await write((tx) => messages.saveMessage(tx, message(id)));
      await write((tx) => messages.saveMessage(tx, message("8", { at: 6_000 })));
      await write((tx) => messages.saveMessage(tx, message("999", { at: 4_000 })));
      await write((tx) => messages.saveMessage(tx, message("1", { conv: "irc:main:other", at: 9_000 })));
      const all = ["8", "100", "11", "10", "9", "999"];
      expect((await recent()).map((row) => row.platformId)).toEqual(all);
      const paged: string[] = [];
      for (let page = await recent(undefined, 2); page.length > 0; page = await recent(page.at(-1), 2)) {
        paged.push(...page.map((row) => row.platformId));
      }
      expect(paged).toEqual(all);
    });

    it("finds the newest sent message of a conversation", async () => {
      const newestSent = () => read((tx) => messages.newestSentPlatformId(tx, { conv: "irc:main:room" }));
      await write((tx) => messages.saveMessage(tx, message("1")));
      expect(await newestSent()).toBeUndefined();
      for (const id of ["9", "10"]) await write((tx) => messages.saveMessage(tx, message(id, { direction: "out" })));
      await write((tx) => messages.saveMessage(tx, message("11")));
      expect((await newestSent())?.platformId).toBe("10");
    });

    it("finds the newest messages of an account over its conversations", async () => {
      await write((tx) => inbox.acceptInbound(tx, inbound(1)));
      await write((tx) => inbox.acceptInbound(tx, inbound(2, { conv: "irc:main:other", conversation: "other" })));
      await write((tx) => inbox.acceptInbound(tx, inbound(3, { conv: "irc:second:room", account: "second" })));
      await write((tx) => messages.saveMessage(tx, message("1")));
      await write((tx) => messages.saveMessage(tx, message("2", { conv: "irc:main:other", at: 5_001 })));
      await write((tx) => messages.saveMessage(tx, message("3", { conv: "irc:second:room", at: 5_002 })));
      const newest = await read((tx) => messages.newestPlatformIds(tx, { channel: "irc", account: "main", limit: 5 }));
      expect(newest.map((row) => row.platformId)).toEqual(["2", "1"]);
    });
  });

  describe("sessions and transcripts", () => {
    it("keeps when a session was created, whatever changes later", async () => {
      const session = {
        sessionKey: "s",
        agent: "guide",
        startedN: 1,
        settingsJson: "{}",
        createdAt: 10,
        updatedAt: 10,
      };
      expect(await read((tx) => findSession(tx, "s"))).toBeUndefined();
      await write((tx) => saveSession(tx, session));
      await write((tx) => saveSession(tx, { ...session, agent: "other", startedN: 7, createdAt: 99, updatedAt: 20 }));
      expect(await read((tx) => findSession(tx, "s"))).toEqual({
        ...session,
        agent: "other",
        startedN: 7,
        updatedAt: 20,
      });
    });

    const entry = (n: number, partsJson = `["${n}"]`) => ({
      sessionKey: "s",
      n,
      role: "user",
      partsJson,
      tokens: n,
      at: n,
    });

    it("adds many entries by one statement and gives them in order from where one asks", async () => {
      expect(await read((tx) => lastTranscriptN(tx, "s"))).toBe(0);
      expect(
        await statements(() =>
          write((tx) =>
            appendTranscript(
              tx,
              [1, 2, 3].map((n) => entry(n)),
            ),
          ),
        ),
      ).toBe(1);
      expect(await statements(() => write((tx) => appendTranscript(tx, [])))).toBe(0);
      expect(await read((tx) => lastTranscriptN(tx, "s"))).toBe(3);
      expect(await read((tx) => loadTranscript(tx, { sessionKey: "s", fromN: 2, limit: 10 }))).toEqual([entry(2), entry(3)]);
      expect(await read((tx) => loadTranscript(tx, { sessionKey: "s", fromN: 1, limit: 1 }))).toEqual([entry(1)]);
    });

    it("replaces the entries of a turn that runs again", async () => {
      await write((tx) => appendTranscript(tx, [entry(1), entry(2)]));
      await write((tx) => appendTranscript(tx, [entry(2, '["again"]'), entry(3)]));
      expect(await read((tx) => loadTranscript(tx, { sessionKey: "s", fromN: 1, limit: 10 }))).toEqual([
        entry(1),
        entry(2, '["again"]'),
        entry(3),
      ]);
    });

    it("takes more entries than fit into a statement", async () => {
      await write((tx) =>
        appendTranscript(
          tx,
          Array.from({ length: 100 }, (_, i) => entry(i + 1)),
        ),
      );
      expect(await read((tx) => lastTranscriptN(tx, "s"))).toBe(100);
    });
  });

  it("takes hostile text in every column as text", async () => {
    const text = "'; drop table inbox; --\0\ud800\u202E{}$1?";
    const stored = "'; drop table inbox; --\uFFFD\uFFFD\u202E{}$1?";
    await write((tx) => inbox.acceptInbound(tx, inbound(1, { platformId: text, conversation: text, bodyJson: text })));
    expect(await read((tx) => inbox.findInboundById(tx, "in_0001"))).toMatchObject({
      platformId: stored,
      conversation: stored,
      bodyJson: stored,
    });
    const again = await write((tx) => inbox.acceptInbound(tx, inbound(2, { platformId: text, conversation: text })));
    expect(again.duplicate).toBe(true);
  });
});
