import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../store/databases.ts";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { telegramYaml } from "../support/gateway.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

/** What it tells an administrator to run is what is run here. */
const GUIDE = new URL("../../docs/guides/postgresql.md", import.meta.url);
/** As a generator makes them, and nobody encoded it. */
const PASSWORD = "canary/5#ecret?@x:1";
const ANN = { userId: 1001, firstName: "Ann" };

let server: PostgresServer;
let database: URL;
beforeAll(async () => {
  server = await startPostgres();
  database = new URL(server.url);
  database.pathname = "/trunkline";
  const [, sql = ""] = /```sql\n([^]*?)```/.exec(readFileSync(GUIDE, "utf8")) ?? [];
  for (const line of sql.trim().split("\n")) await server.execute(line.replace("change-me", PASSWORD));
  await server.execute(`create user nobody password '${PASSWORD}'`);
}, 60_000);
afterAll(() => server?.stop(), 60_000);

/** A configuration whose store is this one; `$` stands for the variable with the password. */
async function place(store: string) {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  const own = telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url });
  writeFileSync(config, `${own}store: { url: "${store.replace("$", "${DB_PASSPHRASE}")}" }\n`, { mode: 0o600 });
  const where = (data = "data"): string[] => ["--config", config, "--data", join(folder, data)];
  return { emulator, where };
}

const env = { DB_PASSPHRASE: PASSWORD };
const url = (over: { user?: string; host?: string; name?: string; query?: string } = {}): string => {
  const { user = "trunkline:$", host = database.host, name = database.pathname.slice(1), query = "" } = over;
  return `postgres://${user}@${host}/${name}${query}`;
};
const leaks = (text: string): boolean => [PASSWORD, encodeURIComponent(PASSWORD), "5#ecret", "canary"].some((form) => text.includes(form));

it("a gateway runs on PostgreSQL from its YAML, keeps others out, and survives its own and the database's death", async () => {
  const { emulator, where } = await place(url());
  const said: string[] = [];
  const run = async (...args: string[]) => {
    const { code, out, err } = await trunkline(args, { env });
    said.push(out, err);
    return { code, text: out + err };
  };
  const first = await startGatewayProcess(where(), env);
  const answered = async (text: string): Promise<void> => {
    emulator.send(emulator.privateChat(ANN), ANN, { text });
    await emulator.waitFor((audit) => audit.visibleFromBot().some((message) => message.text.includes(text)));
  };
  await answered("before");
  expect((await run("status", "--json", ...where())).text).toContain('"replied": 1');

  const refused = await run("start", "--port", "0", ...where("other"));
  expect(refused).toMatchObject({
    code: 1,
    text: expect.stringMatching(/STORE_IN_USE[^]*connected from 127\.0\.0\.1 since [^]*Stop that one first/),
  });
  expect((await run("doctor", ...where("other"))).text).toContain("STORE_IN_USE");
  // The gateway that is known to run is no finding.
  expect((await run("doctor", ...where())).text).not.toContain("STORE_");

  const ready = async (): Promise<{ status: number; body: string }> => {
    const response = await fetch(new URL("/readyz", first.address));
    return { status: response.status, body: await response.text() };
  };
  await server.end("fast");
  await waitUntil(async () => (await ready()).status === 503, "not ready without a database");
  expect((await ready()).body).toContain("STORE_UNREACHABLE");
  emulator.send(emulator.privateChat(ANN), ANN, { text: "meanwhile" });
  await server.start();
  await emulator.waitFor((audit) => audit.visibleFromBot().some((message) => message.text.includes("meanwhile")));
  await waitUntil(async () => (await ready()).status === 200, "ready again");

  await first.kill();
  const second = await startGatewayProcess(where("other"), env);
  await answered("after");
  expect(await second.stop()).toBe(0);
  expect(emulator.audit.visibleFromBot()).toHaveLength(3);
  said.push(first.out(), first.log(), second.out(), second.log());
  expect(said.filter(leaks)).toEqual([]);
});

it("says what is wrong with a database, and what to do, without the password", async () => {
  const said: string[] = [];
  for (const [command, store, code, cause, step] of [
    [
      "start",
      url({ user: "trunkline:x$" }),
      "STORE_REFUSED",
      'password authentication failed for user "trunkline"',
      "Check user and password",
    ],
    ["doctor", url({ name: "nowhere" }), "STORE_REFUSED", 'database "nowhere" does not exist', "create database nowhere"],
    ["start", url({ user: "nobody:$" }), "STORE_REFUSED", "", "to nobody"],
    ["doctor", url({ user: "nobody:$" }), "STORE_REFUSED", "nobody has no right to make the tables", "to nobody"],
    ["start", url({ host: "127.0.0.1:1" }), "STORE_UNREACHABLE", "ECONNREFUSED", "Check host and port"],
    ["doctor", url({ query: "?sslmode=require" }), "STORE_TLS", "does not support SSL", "sslmode=disable"],
  ] as const) {
    const { where } = await place(store);
    const { code: exit, out, err } = await trunkline([command, ...where()], { env });
    said.push(out, err);
    expect({ store, exit, text: out + err }).toMatchObject({ exit: 1, text: expect.stringContaining(code) });
    expect(out + err).toContain(cause);
    expect(out + err).toContain(step);
    expect(out + err).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  }
  for (const [store, problem] of [
    [url({ host: "db:port" }), "is not of the form postgres://"],
    [url({ name: "" }), "names no database"],
    [url({ query: "?schema=x" }), "has the unknown parameter schema"],
  ] as const) {
    const { where } = await place(store);
    const { code, out, err } = await trunkline(["check", ...where()], { env });
    said.push(out, err);
    expect({ code, text: out + err }).toMatchObject({ code: 1, text: expect.stringMatching(/trunkline\.yaml:\d+:\d+ +store\.url/) });
    expect(out + err).toContain(problem);
  }
  expect(said.filter(leaks)).toEqual([]);
});
