import { describe, expect, it } from "vitest";
import { createSemaphore } from "./semaphore.ts";

const open = new AbortController().signal;

describe("the semaphore", () => {
  it("lets at most so many in, and the others in order", async () => {
    const semaphore = createSemaphore(2);
    const order: number[] = [];
    const enter = async (n: number) => {
      const release = await semaphore.acquire(open);
      order.push(n);
      return release;
    };
    const [first, second] = await Promise.all([enter(1), enter(2)]);
    const rest = [3, 4].map(enter);
    await Promise.resolve();
    expect(order).toEqual([1, 2]);
    second!();
    await rest[0];
    expect(order).toEqual([1, 2, 3]);
    first!();
    await rest[1];
    expect(order).toEqual([1, 2, 3, 4]);
  });

  it("gives a place back once, however often it is told", async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(open);
    release();
    release();
    await semaphore.acquire(open);
    let entered = false;
    void semaphore.acquire(open).then(() => (entered = true));
    await Promise.resolve();
    await Promise.resolve();
    expect(entered).toBe(false);
  });

  it("lets somebody leave the queue, and takes nobody else's place for it", async () => {
    const semaphore = createSemaphore(1);
    const release = await semaphore.acquire(open);
    const impatient = new AbortController();
    const left = semaphore.acquire(impatient.signal);
    const patient = semaphore.acquire(open);
    impatient.abort("gone");
    await expect(left).rejects.toBe("gone");
    release();
    const next = await patient;
    next();
    await expect(semaphore.acquire(AbortSignal.abort("never"))).rejects.toBe("never");
    await semaphore.acquire(open);
  });
});
