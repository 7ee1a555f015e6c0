import { telegramChannel } from "@trunkline/channel-telegram";
import { expect, it } from "vitest";
import { memoryFiles } from "./fake-files.ts";
import { formatIssues } from "./issue.ts";
import { loadConfig } from "./load.ts";

it("an account takes from its channel what it does not say itself, and every value keeps its line", () => {
  const yaml = `version: 1
channels:
  telegram:
    defaults:
      dmPolicy: allowlist
      allowFrom: ["1", "2"]
      groups: { "-1": { requireMention: false }, "-2": {} }
    accounts:
      one: { token: "1:a" }
      two: { token: "2:b", allowFrom: ["3"], groups: { "-1": { agent: guide } } }
`;
  const loaded = loadConfig({
    file: "/bot/trunkline.yaml",
    env: {},
    channels: [telegramChannel],
    knownProviders: ["demo"],
    files: memoryFiles(yaml, "/bot"),
  });
  if (!loaded.ok) throw new Error(formatIssues(loaded.issues));
  const { one, two } = loaded.snapshot.config.channels["telegram"]?.accounts ?? {};
  expect(one).toMatchObject({ dmPolicy: "allowlist", allowFrom: ["1", "2"], groups: { "-1": { requireMention: false }, "-2": {} } });
  expect(two).toMatchObject({
    dmPolicy: "allowlist",
    allowFrom: ["3"],
    groups: { "-1": { requireMention: false, agent: "guide" }, "-2": {} },
  });
  const lineOf = (path: string): number | undefined => loaded.snapshot.origin(`channels.telegram.accounts.${path}`)?.line;
  expect(["one.dmPolicy", "two.allowFrom.0", "one.allowFrom.1", "two.groups.-1.requireMention", "two.groups.-1.agent"].map(lineOf)).toEqual(
    [5, 10, 6, 7, 10],
  );
});
