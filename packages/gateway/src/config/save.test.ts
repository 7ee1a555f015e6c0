import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { webChannel } from "@trunkline/channel-web";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { diskFiles } from "./files.ts";
import type { LoadConfigOptions } from "./load.ts";
import { replaceFile, setConfigValue } from "./save.ts";

let folder: string;
let options: LoadConfigOptions & { readonly file: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-save-"));
  options = { file: join(folder, "trunkline.yaml"), env: { PORT: "9000" }, channels: [webChannel], knownProviders: ["demo"] };
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const write = (yaml: string): void => writeFileSync(options.file, yaml, { mode: 0o600 });
const text = (): string => readFileSync(options.file, "utf8");

describe("setConfigValue", () => {
  it("keeps what somebody else writes meanwhile", () => {
    write("version: 1\n");
    let checks = 0;
    // Asked for while the result is checked: after the file was read, before it is written.
    const list = (): readonly string[] => {
      if (checks++ === 0) appendFileSync(options.file, "logs: { level: debug } # by hand\n");
      return [];
    };
    expect(setConfigValue("gateway.port", 1, { ...options, files: { ...diskFiles, list } })).toMatchObject({ ok: true });
    expect(text()).toBe("version: 1\nlogs: { level: debug } # by hand\ngateway:\n  port: 1\n");
  });

  it("gives up when the file never rests", () => {
    write("version: 1\n");
    const list = (): readonly string[] => {
      appendFileSync(options.file, "#\n");
      return [];
    };
    expect(() => setConfigValue("gateway.port", 1, { ...options, files: { ...diskFiles, list } })).toThrow(
      /being changed by another program/,
    );
    expect(text()).not.toContain("port");
  });

  it("leaves variables, comments and order, whatever it changes", () => {
    write("# top\nversion: 1\ngateway: { port: ${PORT:-1}, host: localhost } # here\n".replace("${PORT:-1}", '"${PORT}"'));
    setConfigValue("gateway.host", "127.0.0.1", options);
    setConfigValue(["agents", "list"], [{ id: "aria" }], options);
    expect(text()).toBe('# top\nversion: 1\ngateway: { port: "${PORT}", host: 127.0.0.1 } # here\nagents:\n  list:\n    - id: aria\n');
  });

  it("adds to the end of a list that another file begins", () => {
    write("version: 1\ninclude: [./more.yaml]\nagents: { list: [{ id: aria }] }\n");
    writeFileSync(join(folder, "more.yaml"), "agents:\n  list:\n    - id: bert # he\n");
    expect(setConfigValue("agents.list.bert.thinking", "low", options)).toMatchObject({ ok: true, file: join(folder, "more.yaml") });
    expect(setConfigValue("agents.list.2", { id: "carl" }, options)).toMatchObject({ ok: true, file: options.file });
    expect(text()).toContain("list: [{ id: aria }, { id: carl }] }");
    expect(readFileSync(join(folder, "more.yaml"), "utf8")).toBe("agents:\n  list:\n    - id: bert # he\n      thinking: low\n");
  });

  it("refuses to write through an alias, and overrides what a merge brought", () => {
    write(
      "version: 1\nagents: { defaults: &d { model: &m { primary: demo/guide } }, list: [{ id: aria, model: *m }, { id: bert, <<: *d }] }\n",
    );
    expect(() => setConfigValue("agents.list.aria.model.primary", "demo/guide", options)).toThrow("cannot be written");
    expect(setConfigValue("agents.list.bert.thinking", "low", options)).toMatchObject({ ok: true });
    expect(text()).toContain("{ id: bert, <<: *d, thinking: low }");
  });

  it("says why it cannot write, and leaves nothing behind", () => {
    expect(() => replaceFile(options.file, "version: 1\n")).toThrow("ENOENT");
    expect(readdirSync(folder)).toEqual([]);
  });
});
