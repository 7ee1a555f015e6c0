import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTelegramEmulator } from "@trunkline/plugin-sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { trunkline } from "../support/gateway-process.ts";
import { modelServer } from "../support/model-server.ts";
import { tempFolder } from "../support/temp-folder.ts";

describe("trunkline init --yes", () => {
  it("tries model and token, writes a configuration that check has nothing to say about, and tells what is next", async () => {
    const [emulator, model, folder] = [await createTelegramEmulator(), await modelServer(), tempFolder()];
    onTestFinished(() => emulator.close());
    const config = join(folder, "config", "trunkline.yaml");
    const env = { BOT: emulator.token, KEY: "key-of-the-model" };
    const args = ["--config", config, "--provider", "openai-compatible", "--base-url", model.url, "--model", "echo", "--key-env", "KEY"];
    const telegram = ["--telegram-token-env", "BOT", "--telegram-api-root", emulator.apiRoot];
    const made = await trunkline(["init", "--yes", ...args, ...telegram], { env });
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toContain("Set before each start: KEY, BOT");
    expect(made.out).toContain(`trunkline start --config ${config}`);
    expect(model.requests()).toBe(1);
    expect(emulator.audit.calls("getMe")).toHaveLength(1);
    const text = readFileSync(config, "utf8");
    expect(text).toContain("token: ${BOT}");
    expect(text).not.toContain(emulator.token);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(await trunkline(["check", "--config", config], { env })).toMatchObject({ code: 0, out: `${config}: no errors\n`, err: "" });

    writeFileSync(config, `${text}# mine\n`);
    const again = await trunkline(["init", "--yes", ...args], { env });
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("it is there already");
    expect(readFileSync(config, "utf8")).toContain("# mine");
    expect((await trunkline(["init", "--yes", "--force", ...args], { env })).code).toBe(0);
    expect(readFileSync(config, "utf8")).not.toContain("# mine");
  });

  it("writes nothing when the key or the token is refused", async () => {
    const server = createServer((_request, response) => response.writeHead(401).end("{}")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const emulator = await createTelegramEmulator();
    onTestFinished(() => emulator.close());
    const folder = tempFolder();
    const env = { BOT: "7000000009:not-the-token-of-any-bot-at-all-xxxx", KEY: "a-wrong-key" };
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const to = ["init", "--yes", "--config", join(folder, "trunkline.yaml")];
    const key = await trunkline([...to, "--provider", "openai-compatible", "--base-url", base, "--key-env", "KEY"], { env });
    expect(key).toMatchObject({ code: 1, out: "", err: expect.stringContaining("MODEL_AUTH") });
    const token = await trunkline([...to, "--telegram-token-env", "BOT", "--telegram-api-root", emulator.apiRoot], { env });
    expect(token).toMatchObject({ code: 1, out: "", err: expect.stringContaining("CHANNEL_TOKEN_REJECTED") });
    expect(key.err + token.err).not.toContain("not-the-token");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("refuses options that make no sense, and questions without a terminal, with exit code 2", async () => {
    const folder = tempFolder();
    const config = join(folder, "trunkline.yaml");
    const calls = [
      [],
      ["--yes", "--provider", "nobody"],
      ["--yes", "--provider", "openai-compatible"],
      ["--yes", "--telegram-token-env", "123456789:AAE-this-is-a-token"],
    ];
    const results = await Promise.all(calls.map((call) => trunkline(["init", "--config", config, ...call])));
    for (const result of results) expect(result).toMatchObject({ code: 2, out: "", err: expect.stringContaining("GATEWAY_USAGE") });
    expect(existsSync(config)).toBe(false);
  });
});
