import { describe, expect, it, vi } from "vitest";

// The page's own modules are plain JavaScript without types; what they need of a browser is handed in.
const page = (name: string) => import(new URL(`../public/${name}`, import.meta.url).href);
const { readEvents, retryDelay } = await page("event-stream.js");
const { tokenIn } = await page("sign-in.js");
const { createUnsent, newId } = await page("unsent.js");

describe("the page's event reader", () => {
  it("gives the same events however the text is cut", () => {
    const text = 'event: message\nid: e:1\ndata: {"a":1}\n\n: still here\n\nevent: preview\ndata: {"html":"x: y"}\n\n';
    for (let size = 1; size <= text.length; size += 1) {
      const events: unknown[] = [];
      let rest = "";
      for (let at = 0; at < text.length; at += size)
        rest = readEvents(rest + text.slice(at, at + size), (event: unknown) => events.push(event));
      expect(rest).toBe("");
      expect(events).toEqual([
        { name: "message", id: "e:1", data: { a: 1 } },
        { name: "preview", id: undefined, data: { html: "x: y" } },
      ]);
    }
  });

  it("waits longer after each failure, and never longer than 12.5 seconds", () => {
    expect(retryDelay(0, () => 0.5)).toBe(300);
    expect(retryDelay(3, () => 0.5)).toBeGreaterThan(retryDelay(2, () => 0.5));
    expect(retryDelay(100, () => 1)).toBe(12_500);
  });
});

describe("the page's sign-in", () => {
  it("finds the token in a link and takes a bare one", () => {
    expect(tokenIn("http://127.0.0.1:8080/#token=a_b-C")).toBe("a_b-C");
    expect(tokenIn("  a_b-C\n")).toBe("a_b-C");
  });
});

/** Local storage as browsers have it. */
function fakeStorage() {
  const map = new Map<string, string>();
  return {
    map,
    get length() {
      return map.size;
    },
    key: (index: number) => [...map.keys()][index] ?? null,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  };
}

type Answer = { status: number; body?: unknown } | undefined;

function rig(answer: (message: { clientId: string; text: string }) => Answer, storage = fakeStorage(), visitor = "ann") {
  const posts: { clientId: string; text: string }[] = [];
  const states: string[] = [];
  const waits: { run: () => void; ms: number }[] = [];
  let denied = 0;
  const unsent = createUnsent({
    storage,
    prefix: "p:",
    post: async (message: { clientId: string; text: string }) => {
      posts.push(message);
      const given = answer(message);
      if (given === undefined) throw new TypeError("network");
      return given;
    },
    on: {
      change: (message: { text: string; state: string }) => states.push(`${message.text} ${message.state}`),
      denied: () => (denied += 1),
    },
    wait: (run: () => void, ms: number) => waits.push({ run, ms }),
  });
  unsent.restore(visitor);
  return { unsent, posts, states, storage, waits, denied: () => denied };
}

describe("messages on their way", () => {
  it("are sent in order, and forgotten once the gateway has them", async () => {
    const { unsent, posts, storage, states } = rig(() => ({ status: 202, body: { at: 5 } }));
    unsent.add({ text: "one", c: "main" }, 1);
    unsent.add({ text: "two", c: "main" }, 2);
    expect(storage.map.size).toBe(2);
    await unsent.flush();
    expect(posts.map(({ text }) => text)).toEqual(["one", "two"]);
    expect(storage.map.size).toBe(0);
    expect(states).toEqual(["one waiting", "two waiting", "one sending", "one sent", "two sending", "two sent"]);
  });

  it("keep their id over every try and over a new visit", async () => {
    let up = false;
    const answer = (): Answer => (up ? { status: 202 } : undefined);
    const first = rig(answer);
    const { clientId } = first.unsent.add({ text: "one", c: "main" }, 1);
    await first.unsent.flush();
    expect(first.waits).toHaveLength(1);
    up = true;
    const second = rig(answer, first.storage);
    await second.unsent.flush();
    expect([...first.posts, ...second.posts].map((post) => post.clientId)).toEqual([clientId, clientId]);
    expect(second.storage.map.size).toBe(0);
  });

  it("wait in line behind one that cannot be sent now, longer each time", async () => {
    const { unsent, posts, waits } = rig(() => ({ status: 503 }));
    unsent.add({ text: "one", c: "main" }, 1);
    unsent.add({ text: "two", c: "main" }, 2);
    for (let n = 0; n < 6; n += 1) await unsent.flush();
    expect(new Set(posts.map(({ text }) => text))).toEqual(new Set(["one"]));
    expect(waits.map(({ ms }) => ms)).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
  });

  it.each([401, 404, 408, 429, 500, 502, 503, 0])(
    "are kept through an answer of %i, which a gateway that starts again may give",
    async (status) => {
      const { unsent, storage, states } = rig(() => ({ status }));
      unsent.add({ text: "one", c: "main" }, 1);
      await unsent.flush();
      expect(states.at(-1)).toBe("one waiting");
      expect(storage.map.size).toBe(1);
    },
  );

  it("do not wait behind one that is refused; that one can be tried again or deleted", async () => {
    let limit = true;
    const { unsent, posts, states } = rig(({ text }) =>
      text === "big" && limit ? { status: 413, body: { error: { message: "Too big." } } } : { status: 202 },
    );
    const big = unsent.add({ text: "big", c: "main" }, 1);
    unsent.add({ text: "two", c: "main" }, 2);
    await unsent.flush();
    expect(states.slice(-4)).toEqual(["big sending", "big failed", "two sending", "two sent"]);
    expect(big.why).toBe("Too big.");
    limit = false;
    unsent.retry(big.clientId);
    await vi.waitFor(() => expect(big.state).toBe("sent"));
    expect(posts.filter(({ text }) => text === "big").map((post) => post.clientId)).toEqual([big.clientId, big.clientId]);
  });

  it("are forgotten when they were seen in the stream, though the answer was lost", async () => {
    const { unsent, storage, waits, posts } = rig(() => undefined);
    const { clientId } = unsent.add({ text: "one", c: "main" }, 1);
    await unsent.flush();
    unsent.confirm(clientId);
    waits[0]?.run();
    expect(storage.map.size).toBe(0);
    expect(posts).toHaveLength(1);
  });

  it("stay when the browser is signed out", async () => {
    const { unsent, storage, denied } = rig(() => ({ status: 401 }));
    unsent.add({ text: "one", c: "main" }, 1);
    await unsent.flush();
    expect(denied()).toBe(1);
    expect(storage.map.size).toBe(1);
  });

  it("belong to who wrote them: another visitor of the browser does not send them, and may not be left any", async () => {
    const down = (): Answer => undefined;
    const ann = rig(down);
    ann.unsent.add({ text: "from Ann", c: "main" }, 1);
    const bob = rig(() => ({ status: 202 }), ann.storage, "bob");
    await bob.unsent.flush();
    expect(bob.posts).toEqual([]);
    const again = rig(down, ann.storage);
    expect(again.states).toEqual(["from Ann waiting"]);
    again.unsent.forget();
    expect(again.storage.map.size).toBe(0);
  });

  it("that were written before it was known who writes are kept from then on", () => {
    const storage = fakeStorage();
    const early = createUnsent({ storage, prefix: "p:", post: async () => ({ status: 503 }), on: { change: () => {}, denied: () => {} } });
    early.add({ text: "one", c: "main" }, 1);
    expect([early.isOwned, storage.map.size]).toEqual([false, 0]);
    early.restore("ann");
    expect([early.isOwned, storage.map.size]).toEqual([true, 1]);
  });

  it("are bounded, and do without storage that is full or switched off", () => {
    const broken = {
      ...fakeStorage(),
      setItem: () => {
        throw new RangeError("quota");
      },
    };
    const { unsent } = rig(() => ({ status: 202 }), broken as ReturnType<typeof fakeStorage>);
    for (let n = 0; n < 50; n += 1) expect(unsent.add({ text: "x", c: "main" }, n)).toBeDefined();
    expect(unsent.add({ text: "x", c: "main" }, 50)).toBeUndefined();
  });

  it("have ids that are UUIDs where the browser makes none", () => {
    const old = { getRandomValues: (bytes: Uint8Array) => bytes.fill(0xff) };
    expect(newId(old)).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff");
  });
});
