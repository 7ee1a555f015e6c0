import { type Clock, GatewayError, type StoreQuery, type StoreRow, systemClock } from "@trunkline/plugin-sdk";
import { beforeEach, describe, expect, it } from "vitest";
import { Batcher } from "./batcher.ts";
import type { WriteConnection } from "./connection.ts";

/** A database that only notes what it is told, and fails where it is told to. */
class FakeConnection implements WriteConnection {
  readonly dialect = "sqlite";
  readonly log: string[] = [];
  /** What fails next, once, by its line in the log. */
  readonly fails = new Map<string, unknown>();
  /** The statement at which the database gives up the transaction, as SQLite may when the disk is full. */
  givesUpAt: string | undefined;
  inTransaction = false;
  interrupted = false;
  control = 0;

  async execute(query: StoreQuery): Promise<readonly StoreRow[]> {
    if (!this.inTransaction) this.log.push("OUTSIDE");
    if (query.sql === this.givesUpAt) {
      this.inTransaction = false;
      throw new GatewayError("STORE_FULL", { detail: { path: "x" } });
    }
    this.#note(query.sql);
    return [];
  }
  async begin(durable: boolean): Promise<void> {
    this.#note(durable ? "begin durable" : "begin");
    this.inTransaction = true;
  }
  async savepoint(): Promise<void> {
    this.#note("savepoint");
  }
  async release(): Promise<void> {
    this.#note("release");
  }
  async undo(): Promise<void> {
    this.#note("undo");
  }
  async commit(): Promise<void> {
    this.#note("commit");
    this.inTransaction = false;
  }
  async rollback(): Promise<void> {
    if (this.inTransaction) this.log.push("rollback");
    this.inTransaction = false;
  }
  async close(): Promise<void> {}
  trouble(): undefined {}
  giveUp(): void {}

  #note(line: string): void {
    this.log.push(line);
    const failure = this.fails.get(line);
    this.fails.delete(line);
    if (failure !== undefined) throw failure;
  }
}

let connection: FakeConnection;
let batcher: Batcher;
let timers: { ms: number; run: () => void }[];
const clock: Clock = {
  ...systemClock,
  timer: (ms, run) => {
    const timer = { ms, run };
    timers.push(timer);
    return () => {
      timers = timers.filter((each) => each !== timer);
    };
  },
};
beforeEach(() => {
  connection = new FakeConnection();
  timers = [];
  batcher = new Batcher(connection, clock, "/data/trunkline.db");
});
const write = (sql: string, durability: "durable" | "committed" | "lazy" = "durable") =>
  batcher.add(async (tx) => {
    await tx.execute({ sql, parameters: [] });
    return sql;
  }, durability);
const codes = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === "rejected" ? (outcome.reason as GatewayError).code : outcome.value));

describe("the batcher", () => {
  it("runs a unit that is alone without a savepoint", async () => {
    expect(await write("a")).toBe("a");
    expect(connection.log).toEqual(["begin durable", "a", "commit"]);
  });

  it("puts everything that came together into one transaction, durable when one of it is", async () => {
    await Promise.all([write("a", "committed"), write("b"), write("c", "lazy")]);
    expect(connection.log).toEqual([
      "begin durable",
      "savepoint",
      "a",
      "release",
      "savepoint",
      "b",
      "release",
      "savepoint",
      "c",
      "release",
      "commit",
    ]);
    expect(batcher.stats()).toEqual({
      statements: 3,
      commits: { durable: 1, plain: 0 },
      queued: 0,
    });
  });

  it("rolls back a transaction of which nothing is left, and counts no commit", async () => {
    await expect(batcher.add(() => Promise.reject(new TypeError("no")), "durable")).rejects.toThrow("no");
    expect(connection.log).toEqual(["begin durable", "rollback"]);
    expect(batcher.stats().commits).toEqual({ durable: 0, plain: 0 });
  });

  it("rejects a unit that throws before it returns a promise", async () => {
    const unit = () => {
      throw new TypeError("at once");
    };
    await expect(batcher.add(unit, "durable")).rejects.toThrow("at once");
  });

  it("takes at most 256 units into a transaction, the rest in the next ones", async () => {
    await Promise.all(Array.from({ length: 600 }, (_, i) => write(String(i))));
    expect(connection.log.filter((line) => line === "commit")).toHaveLength(3);
    expect(connection.log.filter((line) => /^\d+$/.test(line))).toEqual(Array.from({ length: 600 }, (_, i) => String(i)));
  });

  it("does not resolve a unit before its commit", async () => {
    const order: string[] = [];
    const commit = connection.commit.bind(connection);
    connection.commit = async () => {
      order.push("commit");
      await commit();
    };
    await Promise.all([write("a").then(() => order.push("a")), write("b").then(() => order.push("b"))]);
    expect(order).toEqual(["commit", "a", "b"]);
  });

  it("lets a lazy unit wait for 20 ms, then commits it alone", async () => {
    const lazy = write("a", "lazy");
    expect(timers.map((timer) => timer.ms)).toEqual([20]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(connection.log).toEqual([]);
    timers[0]!.run();
    await lazy;
    expect(connection.log).toEqual(["begin", "a", "commit"]);
  });

  it("takes a waiting lazy unit along at the next write, and forgets its timer", async () => {
    const lazy = write("a", "lazy");
    await write("b", "committed");
    await lazy;
    expect(timers).toEqual([]);
    expect(connection.log).toEqual(["begin", "savepoint", "a", "release", "savepoint", "b", "release", "commit"]);
  });

  it("lets a lazy unit that came during a transaction wait its turn", async () => {
    let late: Promise<unknown> | undefined;
    await batcher.add(async () => {
      late = write("late", "lazy");
    }, "durable");
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(timers.map((timer) => timer.ms)).toEqual([20]);
    timers[0]!.run();
    await late;
    expect(connection.log).toEqual(["begin durable", "commit", "begin", "late", "commit"]);
  });

  it("rejects all units of a transaction whose commit fails, and tries the next one afresh", async () => {
    connection.fails.set("commit", new GatewayError("STORE_FULL"));
    expect(codes(await Promise.allSettled([write("a"), write("b")]))).toEqual(["STORE_FULL", "STORE_FULL"]);
    expect(connection.log.at(-1)).toBe("rollback");
    expect(await write("c")).toBe("c");
  });

  it("rejects all units when no transaction can be started", async () => {
    connection.fails.set("begin durable", new GatewayError("STORE_UNAVAILABLE"));
    expect(codes(await Promise.allSettled([write("a"), write("b")]))).toEqual(["STORE_UNAVAILABLE", "STORE_UNAVAILABLE"]);
    expect(await write("c")).toBe("c");
  });

  it("runs nothing outside of a transaction after the database gave one up", async () => {
    connection.givesUpAt = "b";
    expect(codes(await Promise.allSettled([write("a"), write("b"), write("c")]))).toEqual(["STORE_FULL", "STORE_FULL", "STORE_FULL"]);
    expect(connection.log).toEqual(["begin durable", "savepoint", "a", "release", "savepoint"]);
    connection.givesUpAt = undefined;
    expect(await write("d")).toBe("d");
    expect(connection.log).not.toContain("OUTSIDE");
  });

  it("rejects all units when a failed one cannot be undone", async () => {
    connection.fails.set("b", new GatewayError("STORE_FAILED"));
    connection.fails.set("undo", new GatewayError("STORE_UNAVAILABLE"));
    const outcomes = await Promise.allSettled([write("a"), write("b"), write("c")]);
    expect(codes(outcomes)).toEqual(["STORE_UNAVAILABLE", "STORE_UNAVAILABLE", "STORE_UNAVAILABLE"]);
    expect(connection.log.at(-1)).toBe("rollback");
  });

  it("refuses more than 100,000 waiting units, and takes new ones when those are done", async () => {
    const waiting = Array.from({ length: 100_000 }, () => batcher.add(async () => undefined, "committed"));
    await expect(write("too much")).rejects.toMatchObject({ code: "STORE_FULL", retryable: true });
    await Promise.all(waiting);
    expect(await write("again")).toBe("again");
  });

  it("commits everything at close, lazy units too, and refuses what comes later", async () => {
    const units = [write("a", "lazy"), write("b", "lazy")];
    await batcher.close();
    expect(await Promise.all(units)).toEqual(["a", "b"]);
    expect(timers).toEqual([]);
    await expect(write("c")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});
