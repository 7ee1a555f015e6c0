import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { draftConfig } from "./draft.ts";
import { filesInTheWay, writeDraft } from "./write-draft.ts";

function place() {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-init-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "config", "trunkline.yaml");
  const key = { in: "file" as const, value: "a-secret-value" };
  return { folder, path, draft: draftConfig({ agentName: "Aria", model: { kind: "openai", model: "m", key } }, path) };
}

it("writes everything, for the owner alone", () => {
  const { folder, path, draft } = place();
  expect(filesInTheWay(draft)).toEqual([]);
  writeDraft(draft);
  const secret = join(folder, "config", "secrets", "openai-key");
  expect(readFileSync(secret, "utf8")).toBe("a-secret-value\n");
  expect([path, secret, join(secret, "..")].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o600, 0o700]);
  expect(filesInTheWay(draft)).toEqual([path, secret]);
});

it("replaces a file whole, and leaves nothing half-written when that fails", () => {
  const { folder, path, draft } = place();
  mkdirSync(join(folder, "config"));
  writeFileSync(path, "the old one");
  chmodSync(path, 0o644);
  writeFileSync(join(folder, "config", "secrets"), "a file where a folder has to be");
  expect(() => writeDraft(draft)).toThrowError(expect.objectContaining({ code: "CONFIG_WRITE_FAILED" }));
  expect(readFileSync(path, "utf8")).toBe("the old one");
  rmSync(join(folder, "config", "secrets"));
  writeDraft(draft);
  expect(readFileSync(path, "utf8")).toBe(draft.config.text);
  expect(readdirSync(join(folder, "config")).toSorted()).toEqual(["secrets", "trunkline.yaml"]);
  expect(existsSync(`${path}.tmp`)).toBe(false);
});
