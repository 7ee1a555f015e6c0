import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isGatewayError } from "@trunkline/plugin-sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadAccessSecrets } from "./access-secrets.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "trunkline-secrets-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe("the secrets folder", () => {
  it("is made on the first start, for the owner's eyes alone, and read on the next", async () => {
    const first = await loadAccessSecrets(folder);
    expect(first.fresh).toBe(true);
    expect(first.tokens.chat).toMatch(/^[\w-]{43}$/);
    expect(new Set([first.tokens.chat, first.tokens.admin, first.cookieKey]).size).toBe(3);
    expect(await mode(join(folder, "secrets"))).toBe("700");
    expect((await readdir(join(folder, "secrets"))).toSorted()).toEqual(["admin-token", "chat-token", "cookie-key"]);
    for (const name of await readdir(join(folder, "secrets"))) expect(await mode(join(folder, "secrets", name))).toBe("600");
    expect(await loadAccessSecrets(folder)).toEqual({ ...first, fresh: false });
  });

  it("gives one new token when its file was deleted", async () => {
    const first = await loadAccessSecrets(folder);
    await rm(join(folder, "secrets", "chat-token"));
    const second = await loadAccessSecrets(folder);
    expect(second.tokens.chat).not.toBe(first.tokens.chat);
    expect(second.tokens.admin).toBe(first.tokens.admin);
    expect(second.fresh).toBe(true);
  });

  it("takes a token that the operator wrote, and tightens the mode of its file", async () => {
    await loadAccessSecrets(folder);
    const file = join(folder, "secrets", "admin-token");
    await writeFile(file, "a-long-token-of-my-own-making\n");
    await chmod(file, 0o644);
    expect((await loadAccessSecrets(folder)).tokens.admin).toBe("a-long-token-of-my-own-making");
    expect(await mode(file)).toBe("600");
  });

  it("refuses a token that could be guessed, names the file and not the token", async () => {
    await loadAccessSecrets(folder);
    const file = join(folder, "secrets", "chat-token");
    await writeFile(file, "hunter2");
    const error: unknown = await loadAccessSecrets(folder).catch((caught: unknown) => caught);
    expect(isGatewayError(error, "CONFIG_SECRET_UNREADABLE")).toBe(true);
    expect(JSON.stringify(error) + String(error)).not.toContain("hunter2");
    expect(String(error)).toContain(file);
    expect(await readFile(file, "utf8")).toBe("hunter2");
  });

  it("says that the data folder cannot be used when it is a file", async () => {
    const file = join(folder, "data");
    await writeFile(file, "");
    await expect(loadAccessSecrets(file)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});
