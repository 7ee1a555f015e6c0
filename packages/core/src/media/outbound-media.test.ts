import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { silentLogger, systemClock } from "@trunkline/plugin-sdk";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../fake-store.ts";
import { createMediaFolder, MEDIA_MAX_BYTES } from "./media-folder.ts";
import { mediaTypeOf } from "./media-types.ts";
import { createOutboundMedia } from "./outbound-media.ts";
import { createWebFiles, type WebFiles } from "./web-files.ts";

const signal = new AbortController().signal;

function createResolver(data: string, webFiles = createWebFiles({ clock: systemClock })) {
  return createOutboundMedia({ dataFolder: data, folder: createMediaFolder(data), webFiles, logger: silentLogger });
}

function setUp() {
  const data = tempFolder();
  const resolver = createResolver(data);
  const workspace = resolver.workspaceOf("aria");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(data, "secret.txt"), "secret");
  return { data, workspace, resolve: (target: string) => resolver.resolve(target, "aria", signal) };
}

describe("files that an agent wants to send", () => {
  it("are taken from its workspace, by relative or absolute path, and copied", async () => {
    const { data, workspace, resolve } = setUp();
    mkdirSync(join(workspace, "plots"));
    writeFileSync(join(workspace, "plots", "Cat.PNG"), "pixels");
    const expected = { kind: "image", mimeType: "image/png", fileName: "Cat.PNG" };
    const file = await resolve("plots/Cat.PNG");
    expect(file).toMatchObject(expected);
    expect(file?.path.startsWith(join(data, "media"))).toBe(true);
    expect(await resolve(join(workspace, "plots", "Cat.PNG"))).toEqual(file);
    expect(await resolve("./plots/../plots/Cat.PNG")).toEqual(file);
  });

  it("may be reached by a link inside the workspace, never by one that leads out of it", async () => {
    const { data, workspace, resolve } = setUp();
    writeFileSync(join(workspace, "real.txt"), "fine");
    symlinkSync(join(workspace, "real.txt"), join(workspace, "inside.txt"));
    symlinkSync(join(data, "secret.txt"), join(workspace, "outside.txt"));
    symlinkSync(data, join(workspace, "folder"));
    expect(await resolve("inside.txt")).toMatchObject({ fileName: "real.txt" });
    expect(await resolve("outside.txt")).toBeUndefined();
    expect(await resolve("folder/secret.txt")).toBeUndefined();
  });

  it.each([
    "../../../secret.txt",
    "/etc/passwd",
    "missing.txt",
    ".",
    "",
    "https://user:word@example.com/a.png",
    "ftp://example.com/a.png",
    "file:///etc/passwd",
    "%2e%2e/%2e%2e/%2e%2e/secret.txt",
    "..%2f..%2f..%2fsecret.txt",
    "..\\..\\..\\secret.txt",
    "\\\\host\\share\\a.png",
    "//host/share/a.png",
    "C:\\Windows\\win.ini",
    "http://127.0.0.1/a.png",
    "http://[::ffff:10.0.0.1]/a.png",
    "http://2130706433/a.png",
    "http://169.254.169.254/latest/meta-data",
    "a\0b",
    "x".repeat(10_000),
  ])("are refused: %j", async (target) => {
    const { resolve } = setUp();
    expect(await resolve(target)).toBeUndefined();
  });

  it("are refused from a folder that only begins like the workspace, from another agent's, and when they are too large", async () => {
    const { workspace, resolve } = setUp();
    mkdirSync(`${workspace}-other`);
    writeFileSync(join(`${workspace}-other`, "a.txt"), "a");
    expect(await resolve(`${workspace}-other/a.txt`)).toBeUndefined();
    writeFileSync(join(workspace, "big.bin"), new Uint8Array(MEDIA_MAX_BYTES + 1));
    expect(await resolve("big.bin")).toBeUndefined();
  });

  it("are refused when there is no workspace", async () => {
    const data = tempFolder();
    expect(await createResolver(data).resolve("a.txt", "nobody", signal)).toBeUndefined();
  });

  it("are what was opened: neither a link that takes the file's place nor a pipe that nobody writes to is waited for", async () => {
    const { data, workspace, resolve } = setUp();
    execFileSync("mkfifo", [join(workspace, "pipe.txt")]);
    expect(await resolve("pipe.txt")).toBeUndefined();
    // Swapped as often as one can while it is opened: what comes is the one file or none, never the secret.
    writeFileSync(join(workspace, "a.txt"), "fine");
    let swapping = true;
    const swap = (async () => {
      for (let round = 0; swapping; round += 1) {
        rmSync(join(workspace, "next.txt"), { force: true });
        if (round % 2 === 0) symlinkSync(join(data, "secret.txt"), join(workspace, "next.txt"));
        else writeFileSync(join(workspace, "next.txt"), "fine");
        renameSync(join(workspace, "next.txt"), join(workspace, "a.txt"));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const sent: string[] = [];
    for (let round = 0; round < 200; round += 1) {
      const file = await resolve("a.txt");
      if (file) sent.push(readFileSync(file.path, "utf8"));
    }
    swapping = false;
    await swap;
    expect(sent).not.toContain("secret");
  });

  it("come from the web by a name that the address or the server's type gives", async () => {
    const data = tempFolder();
    const asked: string[] = [];
    const webFiles: WebFiles = {
      open(address, _signal, use) {
        asked.push(address);
        return use({ data: Readable.from([Buffer.from("pixels")]), fileName: "cat.png" });
      },
    };
    const file = await createResolver(data, webFiles).resolve("https://example.com/cat.png?key=1", "aria", signal);
    expect(file).toMatchObject({ kind: "image", mimeType: "image/png", fileName: "cat.png" });
    expect(readFileSync(file?.path ?? "", "utf8")).toBe("pixels");
    expect(asked).toEqual(["https://example.com/cat.png?key=1"]);
  });

  it("have a type by their suffix, and are documents otherwise", () => {
    expect(mediaTypeOf("a.JPG")).toEqual({ mimeType: "image/jpeg", kind: "image" });
    expect(mediaTypeOf("archive.tar.gz")).toEqual({ mimeType: "application/octet-stream", kind: "document" });
    expect(mediaTypeOf("README")).toEqual({ mimeType: "application/octet-stream", kind: "document" });
  });
});
