import { type ModelMessage, silentLogger, type Store } from "@trunkline/plugin-sdk";
import { createVirtualClock } from "@trunkline/plugin-sdk/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEW_YEAR } from "../fake-message.ts";
import { tempStore } from "../fake-store.ts";
import { loadTranscript } from "../store/transcripts.ts";
import { fakeSession } from "./fake-session.ts";
import { applyChange, createSessions, fitHistory, HISTORY_CHARS, type Session, type SessionChange } from "./sessions.ts";

const KEY = "agent:aria:fake:main:dm:ann";
const user = (text: string): ModelMessage => ({ role: "user", text });
const says = (text: string): ModelMessage => ({ role: "assistant", text });
const tool = (text: string): ModelMessage => ({ role: "tool", callId: "c", name: "now", text });

async function setUp() {
  const clock = createVirtualClock(NEW_YEAR);
  const store = await tempStore();
  const sessions = createSessions(store, clock, silentLogger);
  const turn = async (append: readonly ModelMessage[], reset = false): Promise<Session> => {
    const session = await sessions.load(KEY, "aria");
    await clock.advance(1000); // a turn takes its time
    return commit(store, sessions, session, { append, reset });
  };
  return { clock, store, sessions, turn, reread: () => createSessions(store, clock, silentLogger).load(KEY, "aria") };
}

async function commit(
  store: Store,
  sessions: ReturnType<typeof createSessions>,
  session: Session,
  change: SessionChange,
): Promise<Session> {
  const next = await store.write((tx) => sessions.write(tx, session, change), "durable");
  sessions.remember(next);
  return next;
}

describe("sessions", () => {
  it("begin empty, and are not stored before something is said", async () => {
    const { sessions } = await setUp();
    expect(await sessions.load(KEY, "aria")).toEqual(fakeSession({ key: KEY, agent: "aria", createdAt: NEW_YEAR, startedAt: NEW_YEAR }));
  });

  it("grow by what each turn adds, and are the same when read back from the store", async () => {
    const { sessions, turn, reread } = await setUp();
    await turn([user("one"), says("1")]);
    await turn([]);
    await turn([user("two"), says("2")]);
    const cached = await sessions.load(KEY, "aria");
    expect(cached).toMatchObject({ nextN: 5, startedN: 1, history: [user("one"), says("1"), user("two"), says("2")] });
    expect(await reread()).toEqual(cached);
  });

  it("keep what a command chose, also over resets and later turns, and tell it without the talk", async () => {
    const { clock, store, sessions, turn, reread } = await setUp();
    expect(await sessions.settings(KEY)).toEqual({});
    const chosen = { append: [user("/activation always")], reset: false, settings: { activation: "always" } } as const;
    await commit(store, sessions, await sessions.load(KEY, "aria"), chosen);
    await turn([], true);
    await turn([user("hi")]);
    expect(await sessions.settings(KEY)).toEqual({ activation: "always" });
    expect(await createSessions(store, clock, silentLogger).settings(KEY)).toEqual({ activation: "always" });
    expect((await reread()).settings).toEqual({ activation: "always" });
  });

  it("keep the talk before a reset in the store and out of the prompt", async () => {
    const { store, turn, reread } = await setUp();
    await turn([user("old"), says("secret of the old talk")]);
    await turn([], true);
    const fresh = await turn([user("new"), says("hello")]);
    expect(fresh).toMatchObject({ startedN: 3, nextN: 5, startedAt: NEW_YEAR + 2000, history: [user("new"), says("hello")] });
    expect(await reread()).toEqual(fresh);
    const rows = await store.read((tx) => loadTranscript(tx, { sessionKey: KEY, fromN: 1, limit: 10 }));
    expect(rows.map((row) => [row.n, (JSON.parse(row.partsJson) as ModelMessage).text])).toEqual([
      [1, "old"],
      [2, "secret of the old talk"],
      [3, "new"],
      [4, "hello"],
    ]);
  });

  it("take a reset together with its first message", async () => {
    const { turn, reread } = await setUp();
    await turn([user("old"), says("x")]);
    const fresh = await turn([user("first"), says("y")], true);
    expect(fresh.history).toEqual([user("first"), says("y")]);
    expect(await reread()).toEqual(fresh);
  });

  it("go on without an entry that cannot be read", async () => {
    const { store, turn, reread } = await setUp();
    await turn([user("one"), says("1")]);
    await turn([user("two"), says("2")]);
    for (const [n, damaged] of [
      ['{"role":"assistant","te', 2],
      ['"a text"', 3],
    ] as const)
      await store.write(
        (tx) => tx.execute({ sql: "update transcripts set parts_json = ? where n = ?", parameters: [n, damaged] }),
        "durable",
      );
    await store.write((tx) => tx.execute({ sql: "update sessions set settings_json = '{'", parameters: [] }), "durable");
    expect(await reread()).toMatchObject({ history: [user("one"), says("2")], settings: {}, nextN: 5 });
  });

  it("number a turn that is run again as the first time", async () => {
    const { store, sessions, clock } = await setUp();
    const session = await sessions.load(KEY, "aria");
    // Written, but the process died before it could remember: the next one loads what the store has, and starts from there.
    const change = { append: [user("one"), says("1")], reset: false };
    await commit(store, createSessions(store, clock, silentLogger), session, change);
    await commit(store, createSessions(store, clock, silentLogger), session, { ...change, append: [user("one"), says("1, again")] });
    const rows = await store.read((tx) => loadTranscript(tx, { sessionKey: KEY, fromN: 1, limit: 10 }));
    expect(rows.map((row) => [row.n, (JSON.parse(row.partsJson) as ModelMessage).text])).toEqual([
      [1, "one"],
      [2, "1, again"],
    ]);
  });

  it("do not remember what a transaction took back", async () => {
    const { store, sessions } = await setUp();
    const session = await sessions.load(KEY, "aria");
    const failing = store.write(async (tx) => {
      await sessions.write(tx, session, { append: [user("lost")], reset: false });
      throw new Error("disk full");
    }, "durable");
    await expect(failing).rejects.toThrow("disk full");
    expect((await sessions.load(KEY, "aria")).history).toEqual([]);
  });

  it("are apart from each other", async () => {
    const { sessions, turn } = await setUp();
    await turn([user("mine")]);
    expect((await sessions.load("agent:aria:fake:main:dm:bob", "aria")).history).toEqual([]);
  });

  it("are the same from memory and from the store after any course of turns, long ones too", async () => {
    const { turn, reread } = await setUp();
    let session: Session | undefined;
    for (let n = 0; n < 230; n += 1) session = await turn([user(`${n}`), says("a"), ...(n % 7 === 0 ? [tool("t"), says("b")] : [])]);
    expect(session!.history[0]?.role).toBe("user");
    expect(session!.history.length).toBeLessThanOrEqual(400);
    expect(await reread()).toEqual(session);
    session = await turn([user("x".repeat(60_000)), says("y".repeat(39_000))]);
    expect(await reread()).toEqual(session);
  });
});

describe("the history that a prompt carries", () => {
  const messages = fc.array(
    fc
      .tuple(fc.constantFrom("user" as const, "assistant" as const, "tool" as const), fc.constantFrom(1, 1000, 30_000, 70_000))
      .map(([role, size]) => (role === "user" ? user : role === "assistant" ? says : tool)("x".repeat(size))),
    { maxLength: 30 },
  );

  it("begins with a person's words, is the newest part, and fits", () => {
    fc.assert(
      fc.property(messages, (all) => {
        const kept = fitHistory(all);
        for (const [index, message] of kept.entries()) {
          const original = all[all.length - kept.length + index]!;
          if (original.text.length <= 25_000) expect(message).toEqual(original);
          else expect(message).toMatchObject({ role: original.role, text: expect.stringContaining("left out here") });
        }
        if (kept.length > 0) expect(kept[0]?.role).toBe("user");
        expect(kept.reduce((size, { text }) => size + text.length, 0)).toBeLessThanOrEqual(HISTORY_CHARS);
      }),
    );
  });

  it("keeps what was before a very long answer, and of that its beginning and its end", () => {
    const [first, , long] = fitHistory([user("My name is Ann."), says("Hello Ann."), says(`begin${"x".repeat(300_000)}end`)]);
    expect(first).toEqual(user("My name is Ann."));
    expect(long!.text).toMatch(/^beginx+\n\n\[The middle of this message is left out here\.\]\n\nx+end$/);
    expect(long!.text.length).toBeLessThanOrEqual(25_000);
  });

  it("is bounded in number too, and never begins in the middle of an exchange", () => {
    const all = Array.from({ length: 1001 }, (_, n) => (n % 2 === 0 ? user("q") : says("a")));
    const kept = fitHistory(all);
    expect(kept).toHaveLength(399);
    expect(kept[0]).toEqual(user("q"));
  });

  it("comes out the same whether it is cut after each turn or at the end", () => {
    const start = fakeSession({ key: KEY });
    fc.assert(
      fc.property(fc.array(messages, { maxLength: 6 }), (turns) => {
        const byTurn = turns.reduce((session, append) => applyChange(session, { append, reset: false }, 0), start);
        expect(byTurn.history).toEqual(fitHistory(turns.flat()));
        expect(byTurn.nextN).toBe(turns.flat().length + 1);
      }),
    );
  });
});
