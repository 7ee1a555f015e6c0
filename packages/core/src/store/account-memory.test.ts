import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@trunkline/plugin-sdk";
import { expect, it, onTestFinished } from "vitest";
import { readMemory, writeMemory } from "./account-memory.ts";
import { openStore } from "./open.ts";

it("an account remembers what it kept, apart from others, over a restart, until it forgets it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "trunkline-memory-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, "trunkline.db")}`;
  const key = (account: string, name = "list") => ({ channel: "web", account, name });
  const first = await openStore({ url, clock: systemClock });
  await first.write((tx) => writeMemory(tx, key("a"), "ein Wört", 1), "durable");
  await first.write((tx) => writeMemory(tx, key("a"), "ein anderes", 2), "durable");
  await first.write((tx) => writeMemory(tx, key("b"), "b's own", 3), "durable");
  await expect(first.write((tx) => writeMemory(tx, key("a"), "x".repeat(300_000), 4), "durable")).rejects.toMatchObject({
    code: "GATEWAY_BUG",
  });
  await first.close();

  const second = await openStore({ url, clock: systemClock });
  onTestFinished(() => second.close());
  expect(await second.read((tx) => readMemory(tx, key("a")))).toBe("ein anderes");
  expect(await second.read((tx) => readMemory(tx, key("a", "other")))).toBeUndefined();
  await second.write((tx) => writeMemory(tx, key("a"), undefined, 5), "durable");
  expect(await second.read((tx) => readMemory(tx, key("a")))).toBeUndefined();
  expect(await second.read((tx) => readMemory(tx, key("b")))).toBe("b's own");
});
