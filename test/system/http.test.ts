import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

function statusFor(address: string, host: string): Promise<number> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path: "/", headers: { host }, agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    asking.on("error", reject).end();
  });
}

async function signIn(link: string): Promise<{ readonly status: number; readonly role?: string; readonly cookie: string }> {
  const { origin, hash } = new URL(link);
  const response = await fetch(new URL("/auth/session", origin), {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: hash.slice("#token=".length) }),
  });
  const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]);
  return { status: response.status, ...((await response.json()) as { role?: string }), cookie: cookie.join("; ") };
}

it("the page answers as soon as the gateway says that it is ready, every time", async () => {
  const data = join(tempFolder(), "data");
  for (let n = 0; n < 3; n += 1) {
    const gateway = await startGatewayProcess(["--data", data]);
    const response = await fetch(new URL("/", gateway.address));
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("<title>Trunkline</title>")]);
    expect(await gateway.stop()).toBe(0);
  }
});

it("`trunkline web link` prints links that sign in, also after new tokens were made, and puts none into the log", async () => {
  const data = join(tempFolder(), "data");
  const gateway = await startGatewayProcess(["--data", data]);
  const link = async (...more: string[]) => (await trunkline(["web", "link", "--data", data, ...more])).out.trim();
  expect(await link("--role", "admin")).toBe(gateway.address);
  const before = JSON.parse(await link("--json")) as { admin: string; chat: string };
  expect((await link()).split("\n").map((line) => line.trim())).toEqual(expect.arrayContaining([before.admin, before.chat]));
  expect([await signIn(before.admin), await signIn(before.chat)]).toMatchObject([{ role: "admin" }, { role: "chat" }]);

  const { cookie } = await signIn(before.admin);
  const { origin } = new URL(before.admin);
  const rotated = await fetch(new URL("/auth/rotate", origin), {
    method: "POST",
    headers: { origin, cookie, "content-type": "application/json" },
    body: JSON.stringify({ roles: ["admin", "chat"] }),
  });
  expect(rotated.status).toBe(200);
  expect((await signIn(before.chat)).status).toBe(401);
  const after = JSON.parse(await link("--json")) as { admin: string; chat: string };
  expect([await signIn(after.admin), await signIn(after.chat)]).toMatchObject([{ role: "admin" }, { role: "chat" }]);

  for (const { admin, chat } of [before, after])
    for (const secret of [admin, chat].map((address) => new URL(address).hash.slice("#token=".length)))
      expect(gateway.log()).not.toContain(secret);
  expect(gateway.log()).toContain("the sign-in links were given to the command line");
  expect(await gateway.stop()).toBe(0);
  const stopped = await trunkline(["web", "link", "--data", data]);
  expect([stopped.code, stopped.out, stopped.err]).toEqual([1, "", expect.stringContaining("GATEWAY_NOT_RUNNING")]);
  expect((await trunkline(["web", "link", "--role", "king"])).code).toBe(2);
});

it("names for a reverse proxy count as soon as they are written, and what needs a restart is said", async () => {
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  const write = (keys: string): void => {
    const agent = "agents: { defaults: { model: { primary: demo/guide } }, list: [{ id: aria, instructions: Be brief. }] }";
    writeFileSync(config, `version: 1\ngateway: { ${keys} }\n${agent}\nchannels: { web: { accounts: { main: {} } } }\n`);
  };
  write("port: 8642");
  const data = join(folder, "data");
  const gateway = await startGatewayProcess(["--config", config, "--data", data]);
  expect(await statusFor(gateway.address, "chat.example.org")).toBe(421);
  write("port: 8642, allowedHosts: [chat.example.org], maxConcurrentTurns: 3");
  await waitUntil(async () => (await statusFor(gateway.address, "chat.example.org")) === 200, "the name counts");
  const status = await trunkline(["status", "--data", data]);
  expect(status.out).toContain("changed, and counts after the next start: gateway.maxConcurrentTurns");
  write("port: 8642");
  await waitUntil(async () => (await statusFor(gateway.address, "chat.example.org")) === 421, "the name is gone");
  expect((await trunkline(["status", "--data", data])).out).not.toContain("after the next start");
  expect(await gateway.stop()).toBe(0);
});

it("ends properly at SIGTERM while the rest of a refused upload still waits to be read", async () => {
  const gateway = await startGatewayProcess(["--data", join(tempFolder(), "data")]);
  const { hostname, port, origin } = new URL(gateway.address);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  // More than fits into the buffers on the way: a connection that nobody reads keeps nothing alive, a process that ends least of all.
  socket.write(`POST /web/messages HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${origin}\r\nContent-Length: 90000000\r\n\r\n`);
  socket.write(Buffer.alloc(20_000_000));
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toContain("413");
  expect(await gateway.stop()).toBe(0);
});
