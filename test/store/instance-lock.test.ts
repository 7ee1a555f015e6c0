import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acquireInstanceLock } from "../../packages/core/src/store/instance-lock.ts";
import { bundleChild, startChild } from "./child.ts";

describe("the lock of a data folder", () => {
  let holder: Awaited<ReturnType<typeof bundleChild>>;
  let folder: string;
  beforeAll(async () => {
    holder = await bundleChild("holder");
  }, 30_000);
  afterAll(() => holder?.remove());
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), "trunkline-lock-")), "data");
  });
  afterEach(() => rm(join(folder, ".."), { recursive: true, force: true }));

  it("keeps a second gateway out, naming the folder, until the first one releases it", async () => {
    const lock = await acquireInstanceLock(folder);
    await expect(acquireInstanceLock(folder)).rejects.toMatchObject({
      code: "STORE_LOCKED",
      detail: { path: folder },
    });
    await lock.release();
    await lock.release();
    await (await acquireInstanceLock(folder)).release();
  });

  it("keeps another process out, also after this one tried twice", async () => {
    const lock = await acquireInstanceLock(folder);
    // A careless second try in this process could drop the lock: the kernel frees it when any descriptor of the file is closed.
    await expect(acquireInstanceLock(folder)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    const child = startChild(holder.path, [folder]);
    await expect(child.printed(1)).rejects.toThrow("STORE_LOCKED");
    await lock.release();
  });

  it("is free again as soon as its holder is killed with SIGKILL", async () => {
    const child = startChild(holder.path, [folder]);
    await child.printed(1);
    await expect(acquireInstanceLock(folder)).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await child.kill();
    await (await acquireInstanceLock(folder)).release();
  });

  it("makes a folder and a file that only the owner can read", async () => {
    const lock = await acquireInstanceLock(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, "lock.db"))).mode & 0o777).toBe(0o600);
    await lock.release();
    await chmod(join(folder, "lock.db"), 0o644);
    const again = await acquireInstanceLock(folder);
    expect((await stat(join(folder, "lock.db"))).mode & 0o777).toBe(0o600);
    await again.release();
  });

  it("explains a data folder that is a file", async () => {
    await (await acquireInstanceLock(folder)).release();
    const file = join(folder, "file");
    await writeFile(file, "");
    await expect(acquireInstanceLock(join(file, "data"))).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    await expect(acquireInstanceLock(file)).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});
