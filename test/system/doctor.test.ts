import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqlite } from "../../packages/core/src/store/sqlite-library.ts";
import { telegramYaml } from "../support/gateway.ts";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

interface Report {
  readonly findings: readonly { readonly code: string; readonly cause: string; readonly fix: string; readonly fixed: boolean }[];
}

async function doctor(...args: readonly string[]): Promise<{ code: number | null; report: Report; codes: readonly string[]; out: string }> {
  const { code, out, err } = await trunkline(["doctor", "--json", ...args]);
  expect(err).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  const report = JSON.parse(out) as Report;
  return { code, report, codes: report.findings.map((finding) => finding.code), out };
}

async function place() {
  const emulator = await createTelegramEmulator();
  onTestFinished(() => emulator.close());
  const model = await modelServer();
  const folder = tempFolder();
  const config = join(folder, "trunkline.yaml");
  const data = join(folder, "data");
  const write = (change: Partial<Parameters<typeof telegramYaml>[0]> = {}): void =>
    writeFileSync(config, telegramYaml({ apiRoot: emulator.apiRoot, token: emulator.token, modelUrl: model.url, ...change }), {
      mode: 0o600,
    });
  write();
  return { emulator, folder, config, data, write, where: ["--config", config, "--data", data] };
}

describe("trunkline doctor", () => {
  it("finds nothing where all is well, and takes no message from the platform", async () => {
    const { emulator, where } = await place();
    const eve = { userId: 2001, firstName: "Eve" };
    emulator.send(emulator.privateChat(eve), eve, { text: "wait for me" });
    expect(await doctor(...where)).toMatchObject({ code: 0, codes: [] });
    expect(emulator.pendingUpdates).toBe(1);
    expect((await trunkline(["doctor", ...where])).out).toContain("Everything is well.");
  });

  it("mends permissions and a socket that was left behind; the second run is clean", async () => {
    const { config, data, where } = await place();
    const gateway = await startGatewayProcess(where);
    await gateway.kill();
    const socket = join(data, "run", "cli.sock");
    expect(existsSync(socket)).toBe(true);
    chmodSync(config, 0o644);
    chmodSync(data, 0o755);
    chmodSync(join(data, "secrets", "admin-token"), 0o644);
    chmodSync(join(data, "trunkline.db"), 0o640);

    const found = await doctor(...where);
    expect(found.code).toBe(1);
    expect(found.codes.toSorted()).toEqual([
      "CONFIG_READABLE_BY_OTHERS",
      "GATEWAY_SOCKET_STALE",
      "STORE_OPEN_TO_OTHERS",
      "STORE_OPEN_TO_OTHERS",
      "STORE_OPEN_TO_OTHERS",
    ]);
    for (const { cause, fix } of found.report.findings) expect([cause, fix].every((text) => text.length > 10)).toBe(true);
    expect(statSync(config).mode & 0o777).toBe(0o644);

    const mended = await doctor("--fix", ...where);
    expect(mended.code).toBe(0);
    expect(mended.report.findings.every(({ fixed }) => fixed)).toBe(true);
    expect([config, join(data, "secrets", "admin-token"), join(data, "trunkline.db")].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600,
    ]);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(existsSync(socket)).toBe(false);
    expect(await doctor(...where)).toMatchObject({ code: 0, codes: [] });
  });

  it("asks a running gateway instead of disturbing its accounts", async () => {
    const { emulator, where } = await place();
    await startGatewayProcess(where);
    await emulator.waitFor(() => emulator.polling);
    expect(await doctor(...where)).toMatchObject({ code: 0, codes: [] });
    expect(emulator.audit.calls("getMe")).toHaveLength(1);
  });

  it("tells every error of the configuration with its line", async () => {
    const { config, where } = await place();
    writeFileSync(config, "version: 1\ngatewey: { port: 1 }\n", { mode: 0o600 });
    const { code, report } = await doctor(...where);
    expect(code).toBe(1);
    expect(report.findings[0]).toMatchObject({ code: "CONFIG_INVALID", cause: expect.stringContaining(`${config}:2:1`) });
  });

  it("finds a refused token, a provider that is not there and a port that is taken, all at once", async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => busy.once("listening", resolve));
    onTestFinished(() => void busy.close());
    const { port } = busy.address() as AddressInfo;
    const { config, write, where } = await place();
    write({ token: "7000000001:wrong-token-wrong-token-wrong-token", modelUrl: "http://127.0.0.1:9/v1" });
    writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${port}`), { mode: 0o600 });
    const { code, codes, out } = await doctor(...where);
    expect(code).toBe(1);
    expect(codes.toSorted()).toEqual(["CHANNEL_TOKEN_REJECTED", "GATEWAY_PORT_BUSY", "MODEL_NETWORK"]);
    expect(out).not.toContain("wrong-token");
  });

  it("finds a key that is refused", async () => {
    const server = createServer((_request, response) => response.writeHead(401).end('{"error":{"message":"bad key"}}')).listen(
      0,
      "127.0.0.1",
    );
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { write, where } = await place();
    write({ modelUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
    const { codes, report } = await doctor(...where);
    expect(codes).toEqual(["MODEL_AUTH"]);
    expect(report.findings[0]?.cause).toContain("mock/echo");
  });

  it("finds a second program that polls with the token", async () => {
    const { emulator, where } = await place();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const poll = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await fetch(`${emulator.apiRoot}/bot${emulator.token}/getUpdates?timeout=20`, { signal: stop.signal })
          .then((answer) => answer.text())
          .catch(() => "");
      }
    };
    void poll();
    await emulator.waitFor(() => emulator.polling);
    const { codes, report } = await doctor(...where);
    expect(codes).toEqual(["CHANNEL_CONFLICT"]);
    expect(report.findings[0]?.fix).toContain("polls with this token");
  });

  it("finds a webhook that takes the messages away", async () => {
    const { emulator, where } = await place();
    const set = await fetch(`${emulator.apiRoot}/bot${emulator.token}/setWebhook?url=https://example.com/hook`);
    expect(set.status).toBe(200);
    const { codes, report } = await doctor(...where);
    expect(codes).toEqual(["CHANNEL_CONFLICT"]);
    expect(report.findings[0]?.fix).toContain("webhook");
  });

  it("finds a database that is damaged, and one of a newer version", async () => {
    const { data, where } = await place();
    mkdirSync(data, { mode: 0o700 });
    const file = join(data, "trunkline.db");
    writeFileSync(file, "this is no database, whatever its name says. ".repeat(50), { mode: 0o600 });
    expect((await doctor(...where)).codes).toEqual(["STORE_CORRUPT"]);

    writeFileSync(file, "", { mode: 0o600 });
    const database = await openSqlite(file, { busyMs: 0 });
    database.exec("create table meta (name text primary key, value text not null) strict; insert into meta values ('schema', '999')");
    database.close();
    expect((await doctor(...where)).codes).toEqual(["STORE_NEWER"]);
  });
});
