import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqlite } from "../../packages/core/src/store/sqlite-library.ts";
import { telegramYaml } from "../support/gateway.ts";
import { startGatewayProcess, trunkline } from "../support/gateway-process.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { waitUntil } from "../support/wait.ts";

/** Starts, and expects to be refused: exit code 1, the code, a next step, no stack trace. */
async function expectRefusal(args: readonly string[], ...words: readonly string[]): Promise<string> {
  const { code, out, err } = await trunkline(["start", "--port", "0", ...args]);
  expect(code, err).toBe(1);
  expect(out).toBe("");
  for (const word of words) expect(err).toContain(word);
  expect(err).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  return err;
}

function yamlFile(folder: string, yaml: string): string {
  const file = join(folder, "trunkline.yaml");
  writeFileSync(file, yaml);
  return file;
}

describe("trunkline start", () => {
  it("refuses malformed YAML with its line", async () => {
    const folder = tempFolder();
    const file = yamlFile(folder, "version: 1\nchannels:\n  web: { accounts: { main: {} }\n");
    await expectRefusal(["--config", file, "--data", join(folder, "data")], `${file}:`);
  });

  it("refuses an unknown key with line, column and the nearest one", async () => {
    const folder = tempFolder();
    const file = yamlFile(folder, "version: 1\ngatewey: { port: 1 }\n");
    await expectRefusal(["--config", file, "--data", join(folder, "data")], `${file}:2:1`, "gateway");
  });

  it("refuses a missing variable by its name", async () => {
    const folder = tempFolder();
    const file = yamlFile(folder, 'version: 1\nchannels: { telegram: { accounts: { main: { token: "${NO_SUCH_TOKEN_HERE}" } } } }\n');
    await expectRefusal(["--config", file, "--data", join(folder, "data")], "NO_SUCH_TOKEN_HERE", `${file}:2`);
  });

  it("refuses a busy port and says which", async () => {
    const busy = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => busy.once("listening", resolve));
    onTestFinished(() => void busy.close());
    const { port } = busy.address() as AddressInfo;
    const folder = tempFolder();
    const { code, err } = await trunkline(["start", "--port", String(port), "--data", join(folder, "data")]);
    expect(code).toBe(1);
    expect(err).toContain("GATEWAY_PORT_BUSY");
    expect(err).toContain(String(port));
  });

  it("refuses a second instance on the same data, and leaves the first alone", async () => {
    const data = join(tempFolder(), "data");
    const first = await startGatewayProcess(["--data", data]);
    await expectRefusal(["--data", data], "STORE_LOCKED", data);
    expect((await trunkline(["status", "--data", data])).code).toBe(0);
    expect(await first.stop()).toBe(0);
  });

  it("refuses a newer database and leaves it as it is", async () => {
    const data = join(tempFolder(), "data");
    expect(await (await startGatewayProcess(["--data", data])).stop()).toBe(0);
    const database = join(data, "trunkline.db");
    const db = await openSqlite(database, { busyMs: 50 });
    db.exec("update meta set value = '999' where name = 'schema'");
    db.close();
    const before = readFileSync(database);
    await expectRefusal(["--data", data], "STORE_NEWER", "999");
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  it("refuses a data folder that is a file, and a database that is none", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "file"), "not a folder");
    await expectRefusal(["--data", join(folder, "file")], "STORE_UNAVAILABLE");
    mkdirSync(join(folder, "data"));
    writeFileSync(
      join(folder, "data", "trunkline.db"),
      "this is a text file, not a database, and it is long enough to be looked at".repeat(20),
    );
    await expectRefusal(["--data", join(folder, "data")], "STORE_CORRUPT");
  });

  it("refuses a command line that makes no sense with exit code 2", async () => {
    expect((await trunkline(["start", "--port", "banana"])).code).toBe(2);
    expect((await trunkline(["frobnicate"])).code).toBe(2);
    expect((await trunkline(["render", "x.md"])).code).toBe(2);
  });

  it("goes on with the other accounts when Telegram refuses a token, and never prints it", async () => {
    const emulator = await createTelegramEmulator();
    onTestFinished(() => emulator.close());
    const folder = tempFolder();
    const token = "987654321:AAcanaryCanaryCanaryCanaryCanary-xyz";
    const file = yamlFile(
      folder,
      `${telegramYaml({ apiRoot: emulator.apiRoot, token, modelUrl: "http://127.0.0.1:9/v1" }).replace("channels:\n", "channels:\n  web: { accounts: { main: {} } }\n")}`,
    );
    chmodSync(file, 0o600);
    const data = join(folder, "data");
    const gateway = await startGatewayProcess(["--config", file, "--data", data]);
    const accounts = async () =>
      (
        JSON.parse((await trunkline(["status", "--json", "--data", data])).out) as {
          accounts: { channel: string; state: string; lastError: { code: string; hint: string } | null }[];
        }
      ).accounts;
    await waitUntil(async () => (await accounts()).some(({ state }) => state === "needs-operator"), "the account asks for its operator");
    expect(await accounts()).toMatchObject([
      { channel: "web", state: "connected" },
      {
        channel: "telegram",
        state: "needs-operator",
        lastError: { code: "CHANNEL_TOKEN_REJECTED", hint: expect.stringContaining("BotFather") },
      },
    ]);
    const printed = [
      gateway.log(),
      (await trunkline(["status", "--data", data])).out,
      (await trunkline(["status", "--json", "--data", data])).out,
    ].join("\n");
    expect(printed).not.toContain(token);
    expect(printed).not.toContain(token.split(":")[1]);
    expect(await gateway.stop()).toBe(0);
  });
});

describe("trunkline status and explain without a gateway", () => {
  it("say that none runs, and explain still reads the store", async () => {
    const data = join(tempFolder(), "data");
    const status = await trunkline(["status", "--data", data]);
    expect(status.code).toBe(1);
    expect(status.err).toContain("GATEWAY_NOT_RUNNING");
    expect(await (await startGatewayProcess(["--data", data])).stop()).toBe(0);
    const explain = await trunkline(["explain", "last", "--data", data]);
    expect(explain.code).toBe(1);
    expect(explain.err).toContain("GATEWAY_NOT_FOUND");
  });
});
