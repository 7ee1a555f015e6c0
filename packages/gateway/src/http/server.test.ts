import { mkdtemp, rm } from "node:fs/promises";
import { request as rawRequest } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, GatewayError, type HttpIdentity, type LogFields, type Logger, systemClock } from "@trunkline/plugin-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHttpServer, type HttpServer } from "./server.ts";

let folder: string;
let server: HttpServer;
let url: string;
let port: number;
let lines: string[];
let skew: number;
let made: string[];
let readiness: { ready: boolean; why: string[] };

let timers: boolean;
let started: boolean;

const clock: Clock = {
  ...systemClock,
  timer: (ms, callback) => (timers ? systemClock.timer(ms, callback) : () => {}),
  sleep: (ms, signal) => (timers ? systemClock.sleep(ms, signal) : new Promise(() => {})),
  now: () => Date.now() + skew,
  monotonic: () => performance.now() + skew,
};

function recordingLogger(): Logger {
  const write = (fields: LogFields, message: string): void => void lines.push(JSON.stringify({ ...fields, message }));
  return { debug: write, info: write, warn: write, error: write, child: recordingLogger };
}

function create(at: number): HttpServer {
  return createHttpServer({
    host: "127.0.0.1",
    port: at,
    dataFolder: folder,
    clock,
    logger: recordingLogger(),
    health: () => ({ alive: true }),
    started: () => started,
    ready: async () => readiness,
    allowedHosts: ["chat.example"],
    onSecret: (secret) => made.push(secret),
  });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trunkline-http-"));
  lines = [];
  made = [];
  skew = 0;
  timers = true;
  started = true;
  readiness = { ready: true, why: [] };
  server = create(0);
  ({ url, port } = await server.listen());
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request with any header, Host and Origin included, which fetch would not send. */
function ask(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const request = rawRequest({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    request.on("error", reject).end(body);
  });
}

/** A promise and what resolves it. */
function signal(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

const origin = (): Record<string, string> => ({ origin: url, "content-type": "application/json" });
const tokenOf = (role: "chat" | "admin"): string => new URL(server.signInUrl(role) ?? "").hash.slice("#token=".length);
const signIn = (token: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ask("/auth/session", { method: "POST", headers: { ...origin(), ...headers }, body: JSON.stringify({ token }) });
const cookieOf = (answer: Answer): string => (answer.headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";

describe("health", () => {
  it("is alive, and ready only once everything is, with the reasons until then", async () => {
    expect(await ask("/healthz")).toMatchObject({ status: 200, body: '{"alive":true}' });
    readiness = { ready: false, why: ["telegram/main is starting"] };
    expect(await ask("/readyz")).toMatchObject({ status: 503, body: '{"ready":false,"why":["telegram/main is starting"]}' });
    readiness = { ready: true, why: [] };
    expect((await ask("/readyz")).status).toBe(200);
  });
});

describe("signing in", () => {
  let seen: (HttpIdentity | undefined)[];
  beforeEach(() => {
    seen = [];
    server.mount.route("/", async (_request, who) => {
      seen.push(who);
      return new Response("hello");
    });
  });

  it("exchanges each token for a cookie of its role, and the cookie is an identity from then on", async () => {
    for (const role of ["chat", "admin"] as const) {
      const answer = await signIn(tokenOf(role));
      expect(JSON.parse(answer.body)).toEqual({ role, visitor: expect.stringMatching(/^[0-9a-f]{32}$/) });
      expect(answer.headers["set-cookie"]?.[0]).toMatch(/HttpOnly; SameSite=Strict/);
      expect(cookieOf(answer)).toContain(`trunkline_${port}=`);
      await ask("/", { headers: { cookie: `other=1; ${cookieOf(answer)}` } });
      expect(seen.pop()).toMatchObject({ role, visitor: expect.stringMatching(/^[0-9a-f]{32}$/) });
    }
  });

  it("gives every browser its own visitor id, and keeps it when the same browser signs in again with another role", async () => {
    const first = await signIn(tokenOf("chat"));
    const second = await signIn(tokenOf("chat"));
    const again = await signIn(tokenOf("admin"), { cookie: cookieOf(first) });
    for (const answer of [first, second, again]) await ask("/", { headers: { cookie: cookieOf(answer) } });
    expect(seen[0]?.visitor).not.toBe(seen[1]?.visitor);
    expect(seen[2]).toEqual({ role: "admin", visitor: seen[0]?.visitor });
  });

  it("makes nobody of a visitor without a cookie or with a forged one, on loopback too", async () => {
    await ask("/");
    await ask("/", { headers: { cookie: `trunkline_${port}=v1.admin.${"0".repeat(32)}.1800000000.${"A".repeat(43)}` } });
    expect(seen).toEqual([undefined, undefined]);
  });

  it("refuses wrong tokens and everything that is none", async () => {
    expect(await signIn("wrong")).toMatchObject({ status: 401, body: expect.stringContaining("ACCESS_TOKEN_INVALID") });
    for (const body of ["", "null", "[]", "{}", '{"token":7}', "{", '"x"']) {
      expect((await ask("/auth/session", { method: "POST", headers: origin(), body })).status, body).toBe(401);
    }
  });

  it("stops answering after ten wrong tokens in a minute, and starts again after it", async () => {
    for (let n = 0; n < 10; n += 1) expect((await signIn(`wrong ${n}`)).status).toBe(401);
    const refused = await signIn("wrong again");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    skew += 60_000;
    expect((await signIn("wrong again")).status).toBe(401);
  });

  it("lets the right token in whatever others guess", async () => {
    for (let n = 0; n < 12; n += 1) await signIn(`wrong ${n}`);
    expect((await signIn(tokenOf("chat"))).status).toBe(200);
  });

  it("marks the cookie Secure when the page came over TLS", async () => {
    const answer = await signIn(tokenOf("chat"), { host: "chat.example", origin: "https://chat.example" });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  });

  it("keeps its tokens and cookies over a restart", async () => {
    const link = server.signInUrl("chat");
    const cookie = cookieOf(await signIn(tokenOf("chat")));
    expect(server.tokensAreNew()).toBe(true);
    await server.close();
    expect(server.signInUrl()).toBeUndefined();
    server = create(port);
    server.mount.route("/", async (_request, who) => Response.json(who ?? null));
    await server.listen();
    expect(server.signInUrl("chat")).toBe(link);
    expect(server.tokensAreNew()).toBe(false);
    expect((await ask("/", { headers: { cookie } })).body).toContain('"role":"chat"');
  });

  it("puts no token into a log line, an answer or an error", async () => {
    const tokens = server.secrets();
    const answers = [await signIn(tokenOf("admin")), await signIn(`${tokenOf("chat")}x`), await ask(`/?token=${tokenOf("chat")}`)];
    server.mount.route("/boom", async () => {
      throw new TypeError("broken inside");
    });
    answers.push(await ask("/boom"));
    const printed = JSON.stringify(answers) + lines.join("\n");
    expect(lines.length).toBeGreaterThan(3);
    expect(tokens).toHaveLength(3);
    for (const token of tokens) expect(printed).not.toContain(token);
  });
});

describe("signing out", () => {
  const whoAmI = (cookie: string): Promise<Answer> => ask("/auth/session", { headers: { cookie } });
  const rotate = (cookie: string, body: unknown, headers = origin()): Promise<Answer> =>
    ask("/auth/rotate", { method: "POST", headers: { ...headers, cookie }, body: JSON.stringify(body) });

  it("takes the browser's cookie away, from the gateway's own page alone", async () => {
    const cookie = cookieOf(await signIn(tokenOf("chat")));
    expect(await whoAmI(cookie)).toMatchObject({ status: 200, body: expect.stringContaining('"role":"chat"') });
    const answer = await ask("/auth/session", { method: "DELETE", headers: { ...origin(), cookie } });
    expect(answer.status).toBe(204);
    expect(answer.headers["set-cookie"]?.[0]).toMatch(new RegExp(`^trunkline_${port}=; Path=/; Max-Age=0; HttpOnly`));
    expect((await whoAmI("")).status).toBe(401);
    expect((await ask("/auth/session", { method: "DELETE", headers: { origin: "http://evil.example", cookie } })).status).toBe(403);
  });

  describe("of a browser", () => {
    /** A browser with its cookies; paths do not matter here. */
    function browser() {
      const jar = new Map<string, string>();
      const visit = async (method: string, path: string, body?: unknown): Promise<Answer> => {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
        const answer = await ask(path, {
          method,
          headers: { ...origin(), cookie },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        for (const line of answer.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          if (/Max-Age=0/.test(line)) jar.delete(name);
          else jar.set(name, value);
        }
        return answer;
      };
      return {
        jar,
        in: async (role: "chat" | "admin"): Promise<string> =>
          JSON.parse((await visit("POST", "/auth/session", { token: tokenOf(role) })).body).visitor,
        out: (forget: boolean) => visit("DELETE", `/auth/session?forget=${forget}`),
        rotate: (roles: readonly string[]) => visit("POST", "/auth/rotate", { roles }),
        status: async () => (await visit("GET", "/auth/session")).status,
      };
    }

    it("is not for good: who signs in again by the same link is the same visitor, and in the other role somebody else", async () => {
      const ann = browser();
      const before = { chat: await ann.in("chat") };
      await ann.out(false);
      expect(await ann.status(), "what is left signs nobody in").toBe(401);
      const owner = await ann.in("admin");
      expect(owner).not.toBe(before.chat);
      await ann.out(false);
      expect(await ann.in("chat")).toBe(before.chat);
      await ann.out(false);
      expect(await ann.in("admin")).toBe(owner);
    });

    it("that others use too leaves nothing: the next one is a stranger", async () => {
      const shared = browser();
      const ann = await shared.in("chat");
      await shared.out(true);
      expect(shared.jar.size).toBe(0);
      expect(await shared.in("chat")).not.toBe(ann);
    });

    it("by new tokens lets the owner find the conversations again, and nobody those of an earlier chat link", async () => {
      const [owner, phone, guest] = [browser(), browser(), browser()];
      await owner.in("admin");
      const [mine, theirs] = [await phone.in("admin"), await guest.in("chat")];
      await owner.rotate(["admin", "chat"]);
      expect([await phone.status(), await guest.status()]).toEqual([401, 401]);
      expect(await phone.in("admin")).toBe(mine);
      expect(await guest.in("chat")).not.toBe(theirs);
    });
  });

  it("everywhere ends every browser of a role but the owner's who asked, and the old token opens nothing", async () => {
    const [owner, phone, guest] = [await signIn(tokenOf("admin")), await signIn(tokenOf("admin")), await signIn(tokenOf("chat"))].map(
      cookieOf,
    );
    const old = tokenOf("admin");
    const answer = await rotate(owner!, { roles: ["admin"] });
    expect(answer).toMatchObject({ status: 200, body: '{"roles":["admin"]}' });
    expect((await whoAmI(cookieOf(answer))).body).toContain('"role":"admin"');
    expect((await whoAmI(owner!)).status).toBe(401);
    expect((await whoAmI(phone!)).status).toBe(401);
    expect((await whoAmI(guest!)).status).toBe(200);
    expect((await signIn(old)).status).toBe(401);
    expect((await signIn(tokenOf("admin"))).status).toBe(200);
    expect(made).toEqual([tokenOf("admin")]);
    await server.close();
    server = create(port);
    await server.listen();
    expect((await whoAmI(cookieOf(answer))).status, "the new token is the one on disk").toBe(200);
  });

  it("everywhere is the owner's right, needs a role, and comes from the gateway's own page", async () => {
    const guest = cookieOf(await signIn(tokenOf("chat")));
    const owner = cookieOf(await signIn(tokenOf("admin")));
    expect((await rotate("", { roles: ["chat"] })).status).toBe(401);
    expect((await rotate(guest, { roles: ["chat"] })).status).toBe(403);
    for (const body of [null, {}, { roles: "admin" }, { roles: ["nobody"] }]) expect((await rotate(owner, body)).status).toBe(400);
    expect((await rotate(owner, { roles: ["chat"] }, { origin: "http://evil.example", "content-type": "text/plain" })).status).toBe(403);
    expect((await whoAmI(guest)).status).toBe(200);
    expect(made).toEqual([]);
  });

  it("everywhere cuts the streams that are open", async () => {
    server.mount.route("/stream", async () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }));
    const ended = signal();
    const opened = signal();
    const request = rawRequest({ host: "127.0.0.1", port, path: "/stream", agent: false }, (response) => {
      response.on("close", () => ended.resolve()).on("error", () => {});
      response.resume();
      opened.resolve();
    });
    request.on("error", () => ended.resolve()).end();
    await opened.promise;
    await rotate(cookieOf(await signIn(tokenOf("admin"))), { roles: ["chat"] });
    await ended.promise;
  });
});

describe("the guards", () => {
  beforeEach(() => void server.mount.route("/", async () => new Response("the page")));

  it("give a wrong Host nothing, on any path", async () => {
    for (const path of ["/", "/healthz", "/readyz", "/web/events"]) {
      const answer = await ask(path, { headers: { host: `evil.example:${port}` } });
      expect(answer.status).toBe(421);
      expect(answer.body).not.toContain("the page");
    }
    for (const host of [`localhost:${port}`, "chat.example", `[::1]:${port}`])
      expect((await ask("/", { headers: { host } })).status, host).toBe(200);
  });

  it("follow the names that are allowed while it runs", async () => {
    const as = async (host: string): Promise<number> => (await ask("/healthz", { headers: { host } })).status;
    expect([await as("chat.example"), await as("new.example")]).toEqual([200, 421]);
    server.allowHosts(["new.example"]);
    expect([await as("chat.example"), await as("new.example"), await as("localhost")]).toEqual([421, 200, 200]);
  });

  it("take writes and streams from the gateway's own pages alone", async () => {
    const write = (headers: Record<string, string>) => ask("/x", { method: "POST", headers, body: "{}" });
    expect((await write({ origin: url })).status).toBe(200);
    expect((await write({ origin: "http://evil.example" })).status).toBe(403);
    expect((await write({})).status).toBe(403);
    expect((await ask("/auth/session", { method: "POST", headers: { origin: "null" }, body: "{}" })).status).toBe(403);
    const accept = "text/event-stream";
    expect((await ask("/x", { headers: { accept } })).status).toBe(403);
    expect((await ask("/x", { headers: { accept, "sec-fetch-site": "same-origin" } })).status).toBe(200);
    expect((await ask("/x", { headers: { accept, "sec-fetch-site": "cross-site" } })).status).toBe(403);
  });

  it("never grant another origin anything", async () => {
    const answer = await ask("/x", {
      method: "OPTIONS",
      headers: { origin: "http://evil.example", "access-control-request-method": "POST" },
    });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("put the security headers on every answer, refusals included", async () => {
    for (const answer of [
      await ask("/"),
      await ask("/healthz"),
      await ask("/", { headers: { host: "evil.example" } }),
      await signIn("wrong"),
    ]) {
      const policy = String(answer.headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(answer.headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    }
  });

  it("let a handler be stricter than the default", async () => {
    server.mount.route("/file", async () => new Response("x", { headers: { "content-security-policy": "sandbox" } }));
    expect((await ask("/file")).headers["content-security-policy"]).toBe("sandbox");
  });

  it("cap bodies at 300 kB, with and without a length", async () => {
    const sizes: number[] = [];
    server.mount.route("/sink", async (request) => {
      sizes.push((await request.arrayBuffer()).byteLength);
      return new Response("ok");
    });
    const send = (bytes: number, headers: Record<string, string> = {}) =>
      ask("/sink", { method: "POST", headers: { origin: url, ...headers }, body: "x".repeat(bytes) });
    expect((await send(300 * 1024)).status).toBe(200);
    expect(await send(300 * 1024 + 1)).toMatchObject({ status: 413, body: expect.stringContaining("300 kB") });
    expect((await send(400 * 1024, { "transfer-encoding": "chunked" })).status).toBe(413);
    expect((await send(100 * 1024, { "transfer-encoding": "chunked" })).status).toBe(200);
    expect(sizes).toEqual([300 * 1024, 100 * 1024]);
  });

  it("cap bodies of a route by its own rule, which has to know the length", async () => {
    server.mount.route("/files", async (request) => new Response(String((await request.arrayBuffer()).byteLength)), {
      maxBodyBytes: 1024 * 1024,
    });
    const send = (bytes: number, headers: Record<string, string> = {}) =>
      ask("/files", { method: "POST", headers: { origin: url, ...headers }, body: "x".repeat(bytes) });
    expect(await send(1024 * 1024)).toMatchObject({ status: 200, body: String(1024 * 1024) });
    expect(await send(1024 * 1024 + 1)).toMatchObject({ status: 413, body: expect.stringContaining("1 MB") });
    expect((await send(10, { "transfer-encoding": "chunked" })).status).toBe(411);
  });
});

describe("mounted handlers", () => {
  it("that are still to come are no wrong addresses: who asks early is told to ask again", async () => {
    started = false;
    const early = await ask("/web/messages");
    expect(early).toMatchObject({ status: 503, body: expect.stringContaining("starting") });
    expect(early.headers["retry-after"]).toBe("1");
  });

  it("answer what nobody else does, and a handler that fails is no one's crash", async () => {
    expect((await ask("/nothing")).status).toBe(404);
    server.mount.route("/boom", async () => {
      throw new TypeError("broken inside");
    });
    const answer = await ask("/boom");
    expect(answer).toMatchObject({ status: 500, body: expect.stringContaining("GATEWAY_BUG") });
    expect(answer.body).not.toContain("broken inside");
    expect(lines.join()).toContain("broken inside");
  });

  it("that cannot reach the store answer 503, without the name of its folder", async () => {
    server.mount.route("/full", async () => {
      throw new GatewayError("STORE_FULL", { detail: { path: "/home/ann/data" } });
    });
    const answer = await ask("/full");
    expect(answer.status).toBe(503);
    expect(answer.body).not.toContain("/home/ann");
  });

  it("are told when the client of a stream goes away", async () => {
    const gone = signal();
    server.mount.route("/stream", async () => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("data: 1\n\n")),
        cancel: () => gone.resolve(),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const request = rawRequest({ host: "127.0.0.1", port, path: "/stream", agent: false }, (response) =>
      response.once("data", () => request.destroy()),
    );
    request.on("error", () => {}).end();
    await gone.promise;
  });
});

describe("the address", () => {
  it("is refused with advice when another program has the port", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const taken = typeof address === "object" && address !== null ? address.port : 0;
    await expect(create(taken).listen()).rejects.toMatchObject({ code: "GATEWAY_PORT_BUSY", detail: { port: taken } });
    await new Promise((resolve) => other.close(resolve));
  });

  it("is refused with advice when it is not one of this machine", async () => {
    const elsewhere = createHttpServer({
      host: "192.0.2.1",
      port: 0,
      dataFolder: folder,
      clock,
      logger: recordingLogger(),
      health: () => ({ alive: true }),
      started: () => true,
      ready: async () => readiness,
    });
    await expect(elsewhere.listen()).rejects.toMatchObject({ code: "GATEWAY_PORT_DENIED" });
    expect(elsewhere.signInUrl()).toBeUndefined();
    await elsewhere.close();
  });
});

describe("closing", () => {
  it("cuts open event streams and frees the port without waiting for a deadline", async () => {
    server.mount.route("/stream", async () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } }));
    const opened = signal();
    const ended = signal();
    const request = rawRequest({ host: "127.0.0.1", port, path: "/stream", agent: false }, (response) => {
      response.on("close", () => ended.resolve()).on("error", () => {});
      response.resume();
      opened.resolve();
    });
    request.on("error", () => ended.resolve()).flushHeaders();
    request.end();
    await opened.promise;
    // No timer fires here: the stream is cut by closing itself, not by the deadline.
    timers = false;
    await server.close();
    await ended.promise;
    await server.close();
    server = create(port);
    await server.listen();
  });

  it("lets a short request finish", async () => {
    const entered = signal();
    const leave = signal();
    server.mount.route("/slow", async () => {
      entered.resolve();
      await leave.promise;
      return new Response("done");
    });
    const answer = ask("/slow");
    await entered.promise;
    const closed = server.close();
    leave.resolve();
    expect(await answer).toMatchObject({ status: 200, body: "done" });
    await closed;
  });
});
