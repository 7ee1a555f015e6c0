import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as access from "../../packages/core/src/store/access.ts";
import * as inbox from "../../packages/core/src/store/inbox.ts";
import * as messages from "../../packages/core/src/store/messages.ts";
import * as letters from "../../packages/core/src/store/dead-letters.ts";
import { refreshDelivery } from "../../packages/core/src/store/delivery-state.ts";
import * as outbox from "../../packages/core/src/store/outbox.ts";
import * as pruning from "../../packages/core/src/store/pruning.ts";
import * as pairings from "../../packages/core/src/store/pairings.ts";
import { findSession, saveSession } from "../../packages/core/src/store/sessions.ts";
import { eraseSteps, saveStep, stepsOfTurn } from "../../packages/core/src/store/steps.ts";
import { appendTranscript, lastTranscriptN, loadTranscript } from "../../packages/core/src/store/transcripts.ts";
import { findTurn, finishTurn, nameInbound, startTurn } from "../../packages/core/src/store/turns.ts";
import { untoldBefore } from "../../packages/core/src/store/untold.ts";
import type { StoreQuery, StoreTx } from "../../packages/plugin-sdk/src/index.ts";
import { postgresDatabase, sqliteDatabase, type TestDatabase, type TestStore } from "./databases.ts";
import { granted, inbound, message, part, request } from "./samples.ts";

const conv = "irc:main:room";
const account = { channel: "irc", account: "main" };

/** One call of every function of the repositories. A new one is added here. */
const CALLS: Readonly<Record<string, (tx: StoreTx) => Promise<unknown>>> = {
  acceptInbound: (tx) => inbox.acceptInbound(tx, inbound(1)),
  finishInbound: (tx) =>
    inbox.finishInbound(tx, {
      id: "in_0001",
      disposition: "replied",
      decisionsJson: "[]",
      delivery: "pending",
    }),
  refreshDelivery: (tx) => refreshDelivery(tx, "tn_1"),
  buryPart: (tx) => letters.buryPart(tx, { id: "ob_0001", turn: "tn_1", attempts: 1, errorJson: null, deadAt: 1 }),
  deadLetters: (tx) => letters.deadLetters(tx, 10),
  deadLetterCount: (tx) => letters.deadLetterCount(tx),
  retryDeadLetter: (tx) => letters.retryDeadLetter(tx, { id: "ob_0001", now: 1 }),
  dropDeadLetter: (tx) => letters.dropDeadLetter(tx, "ob_0001"),
  pruneDeadLetters: (tx) => letters.pruneDeadLetters(tx, { before: 1, limit: 500 }),
  openInboundOfSession: (tx) => inbox.openInboundOfSession(tx, { sessionKey: "s", limit: 10 }),
  inboundByIds: (tx) => inbox.inboundByIds(tx, ["in_0001", "in_0002"]),
  joinTurn: (tx) => inbox.joinTurn(tx, { id: "in_0001", turn: "tn_1" }),
  rewriteInbound: (tx) => inbox.rewriteInbound(tx, { id: "in_0001", bodyJson: "{}" }),
  untoldBefore: (tx) => untoldBefore(tx, { conv, seq: 10, limit: 50 }),
  nameInbound: (tx) => nameInbound(tx, { id: "tn_1", inboxIdsJson: "[]" }),
  openSessionKeys: (tx) => inbox.openSessionKeys(tx),
  openStopRequests: (tx) => inbox.openStopRequests(tx),
  findInboundById: (tx) => inbox.findInboundById(tx, "in_0001"),
  findInboundByPlatformId: (tx) => inbox.findInboundByPlatformId(tx, { ...account, conversation: "room", platformId: "1" }),
  findInboundInChannel: (tx) => inbox.findInboundInChannel(tx, { channel: "irc", platformId: "1" }),
  lastInbound: (tx) => inbox.lastInbound(tx),
  lastInboundOfConversation: (tx) => inbox.lastInbound(tx, { conv }),
  openInboundCount: (tx) => inbox.openInboundCount(tx),
  waitedTooLong: (tx) => inbox.waitedTooLong(tx, { before: 1, limit: 500 }),
  inboundCounts: (tx) => inbox.inboundCounts(tx),
  pruneInbox: (tx) => pruning.pruneInbox(tx, { after: "", limit: 500, before: Number.MAX_SAFE_INTEGER }),
  prunedCounts: (tx) => pruning.prunedCounts(tx),
  sendableBodies: (tx) => pruning.sendableBodies(tx, { after: "", limit: 500 }),
  startTurn: (tx) =>
    startTurn(tx, {
      id: "tn_1",
      sessionKey: "s",
      owner: "o",
      inboxIdsJson: "[]",
      configRev: 1,
      startedAt: 1,
    }),
  finishTurn: (tx) => finishTurn(tx, { id: "tn_1", state: "done", model: null, endedAt: 2 }),
  findTurn: (tx) => findTurn(tx, "tn_1"),
  saveStep: (tx) =>
    saveStep(tx, {
      turn: "tn_1",
      n: 0,
      kind: "model",
      state: "done",
      requestHash: "h",
      resultJson: null,
      usageJson: null,
    }),
  stepsOfTurn: (tx) => stepsOfTurn(tx, "tn_1"),
  eraseSteps: (tx) => eraseSteps(tx, "tn_1"),
  insertParts: (tx) => outbox.insertParts(tx, [part(1)]),
  recordReceipt: (tx) => outbox.recordReceipt(tx, { id: "ob_0001", receiptJson: "{}", sentAt: 1 }),
  markSending: (tx) => outbox.markSending(tx, "ob_0001"),
  recordAttempt: (tx) =>
    outbox.recordAttempt(tx, {
      id: "ob_0001",
      state: "pending",
      attempts: 1,
      nextAt: 1,
      errorJson: null,
    }),
  replaceBody: (tx) => outbox.replaceBody(tx, { id: "ob_0001", op: "send", bodyJson: "{}" }),
  openPartsOfConversation: (tx) => outbox.openPartsOfConversation(tx, { conv, limit: 10 }),
  openPartConversations: (tx) => outbox.openPartConversations(tx),
  markInterrupted: (tx) => outbox.markInterrupted(tx),
  cancelPartsOfTurn: (tx) => outbox.cancelPartsOfTurn(tx, "tn_1"),
  findPart: (tx) => outbox.findPart(tx, "ob_0001"),
  findPartByKey: (tx) => outbox.findPartByKey(tx, "key-1"),
  partsOfTurn: (tx) => outbox.partsOfTurn(tx, "tn_1"),
  replyPartCount: (tx) => outbox.replyPartCount(tx, "tn_1"),
  openPartCount: (tx) => outbox.openPartCount(tx),
  oldestOpenPart: (tx) => outbox.oldestOpenPart(tx),
  saveMessage: (tx) => messages.saveMessage(tx, message("1")),
  forgetMessage: (tx) => messages.forgetMessage(tx, { conv, platformId: "9" }),
  findMessage: (tx) => messages.findMessage(tx, { conv, platformId: "1" }),
  findMessagesInChannel: (tx) => messages.findMessagesInChannel(tx, { channel: "irc", platformId: "1" }),
  recentMessages: (tx) => messages.recentMessages(tx, { conv, limit: 10 }),
  recentMessagesBefore: (tx) => messages.recentMessages(tx, { conv, limit: 10, before: { at: 5_000, platformId: "2" } }),
  newestSentPlatformId: (tx) => messages.newestSentPlatformId(tx, { conv }),
  newestPlatformIds: (tx) => messages.newestPlatformIds(tx, { ...account, limit: 10 }),
  lastTimes: (tx) => messages.lastTimes(tx, account),
  findSession: (tx) => findSession(tx, "s"),
  saveSession: (tx) =>
    saveSession(tx, {
      sessionKey: "s",
      agent: "a",
      startedN: 1,
      settingsJson: "{}",
      createdAt: 1,
      updatedAt: 1,
    }),
  appendTranscript: (tx) =>
    appendTranscript(
      tx,
      [1, 2].map((n) => ({ sessionKey: "s", n, role: "user", partsJson: "[]", tokens: 1, at: 1 })),
    ),
  loadTranscript: (tx) => loadTranscript(tx, { sessionKey: "s", fromN: 1, limit: 10 }),
  lastTranscriptN: (tx) => lastTranscriptN(tx, "s"),
  livePairings: (tx) => pairings.livePairings(tx, { ...account, now: 1 }),
  waitingPairings: (tx) => pairings.waitingPairings(tx, 1),
  savePairing: (tx) => pairings.savePairing(tx, request("ann")),
  countAttempt: (tx) => pairings.countAttempt(tx, request("ann")),
  deletePairing: (tx) => pairings.deletePairing(tx, request("ann")),
  deleteExpiredPairings: (tx) => pairings.deleteExpiredPairings(tx, { ...account, now: 1 }),
  allAccess: (tx) => access.allAccess(tx),
  isApproved: (tx) => access.isApproved(tx, granted("ann")),
  grantAccess: (tx) => access.grantAccess(tx, granted("ann")),
  revokeAccess: (tx) => access.revokeAccess(tx, granted("ann")),
};

/** A transaction that also notes the statements that run through it. */
function recording(tx: StoreTx & { dialect?: string }, into: StoreQuery[]): StoreTx {
  return Object.assign(Object.create(null) as object, {
    dialect: tx.dialect,
    execute: <Row>(query: StoreQuery) => {
      into.push(query);
      return tx.execute<Row>(query);
    },
  });
}

async function explain(tx: StoreTx, query: StoreQuery, dialect: string): Promise<string[]> {
  const prefix = dialect === "sqlite" ? "explain query plan " : "explain (costs off) ";
  const rows = await tx.execute<Record<string, string>>({ ...query, sql: prefix + query.sql });
  return rows.map((row) => row["detail"] ?? row["QUERY PLAN"] ?? "");
}

describe.each([
  // SQLite says "SCAN t" for a walk over the whole table, "SCAN t USING INDEX" for one over a (here partial or covering) index.
  ["SQLite", sqliteDatabase, /^SCAN (?!.*(USING (COVERING )?INDEX|VALUES CLAUSE))|TEMP B-TREE/],
  // With sequential scans forbidden, PostgreSQL falls back to one only where no index fits.
  ["PostgreSQL", postgresDatabase, /Seq Scan|\bSort\b/],
] as const)("on %s", (_name, start, bad) => {
  let database: TestDatabase;
  let subject: TestStore;
  beforeAll(async () => {
    database = await start();
    subject = await database.open();
  }, 60_000);
  afterAll(async () => {
    await subject?.dispose();
    await database?.stop();
  });

  it.each(Object.keys(CALLS))("%s reads through an index and needs no sort", async (name) => {
    const { store } = subject;
    const plans = await store.write(async (tx) => {
      if (store.dialect === "postgres") {
        for (const way of ["seqscan", "bitmapscan", "sort", "hashagg"])
          await tx.execute({ sql: `set local enable_${way} = off`, parameters: [] });
      }
      const queries: StoreQuery[] = [];
      await CALLS[name]!(recording(tx, queries));
      return await Promise.all(queries.map((query) => explain(tx, query, store.dialect)));
    }, "committed");
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans.flat()) expect(plan).not.toMatch(bad);
  });
});
