import { telegramChannel } from "@trunkline/channel-telegram";
import { webChannel } from "@trunkline/channel-web";
import { expect, it } from "vitest";
import { formatIssues } from "./issue.ts";
import { loadConfig, type LoadedConfig } from "./load.ts";

const CANARY = "canary-3f9c1e77a0";
const BOT_TOKEN = `987654321:${"C4nary_".repeat(5)}`;

function load(yaml: string, file: Record<string, string> = {}): LoadedConfig {
  return loadConfig({
    file: "/bot/trunkline.yaml",
    env: { BOT_TOKEN, CANARY_KEY: CANARY },
    channels: [webChannel, telegramChannel],
    knownProviders: ["demo"],
    files: { read: (path) => new TextEncoder().encode(path === "/bot/trunkline.yaml" ? yaml : (file[path] ?? CANARY)), mode: () => 0o644 },
  });
}

const PLACES = [
  `channels: { telegram: { accounts: { main: { token: ${CANARY} } } } }`,
  `channels: { telegram: { accounts: { main: { token: [${CANARY}] } } } }`,
  `channels: { telegram: { accounts: { main: { token: { x: ${CANARY} } } } } }`,
  `channels: { telegram: { accounts: { main: { tokn: ${CANARY} } } } }`,
  `channels: { telegram: { accounts: { main: ${BOT_TOKEN} } } }`,
  `channels: { telegram: { accounts: { main: {token:${BOT_TOKEN}} } } }`,
  `channels: { telegram: { accounts: { ${BOT_TOKEN}: {} } } }`,
  `channels: { telegram: ${BOT_TOKEN} }`,
  `channels: { telegram: { accounts: { main: { token: "\${BOT_TOKEN}", mode: "\${BOT_TOKEN}", apiRoot: "\${BOT_TOKEN}" } } } }`,
  `channels: { telegram: { accounts: { main: { token: "file:secret", dmPolicy: ${CANARY} } } } }`,
  `channels: { telegram: { accounts: { main: { token: "\${BOT_TOKEN}", allowFrom: ["\${BOT_TOKEN}", "\${CANARY_KEY}"] } } } }`,
  `providers: { x: { type: openai-compatible, baseUrl: "http://u:${CANARY}@h/v1", apiKey: 5, headers: { Authorization: [${CANARY}] } } }`,
  `providers: { x: { type: openai-compatible, baseUrl: "${CANARY}", apiKey: { a: ${CANARY} } } }`,
  `providers: { x: { type: "\${CANARY_KEY}", baseUrl: "http://h/v1", apiKey: "\${CANARY_KEY}" } }`,
  `gateway: { port: "\${CANARY_KEY}", host: "\${BOT_TOKEN}" }`,
  `agents: { list: [ { id: "\${CANARY_KEY}", model: { primary: "\${BOT_TOKEN}" } } ] }`,
  `bindings: [ { agent: "\${CANARY_KEY}", match: { channel: "\${BOT_TOKEN}" } } ]`,
  `owners: ["${BOT_TOKEN}"]`,
  `"\${CANARY_KEY}": 1`,
  `store: { url: "postgres://u:${CANARY}@h/db", extra: 1 }`,
  `network: { proxy: "http://u:${CANARY}@h", prxy: "\${CANARY_KEY}" }`,
  `owners: "${CANARY}`,
  `owners: *${BOT_TOKEN}`,
  `owners: !${CANARY} x`,
  `logs: { level: "file:${CANARY}\\q" }`.replace(CANARY, BOT_TOKEN),
];

it.each(PLACES)("no secret is printed: %#", (line) => {
  const loaded = load(`version: 1\n${line}\n`);
  const issues = [...(loaded.ok ? [] : loaded.issues), ...loaded.warnings];
  const printed = formatIssues(issues) + JSON.stringify(issues);
  expect(printed).not.toContain(CANARY);
  expect(printed).not.toContain("C4nary_C4nary");
});

it("every secret is handed to the redactor, whichever way it came", () => {
  const { ok, secrets } = load(
    `version: 1
network: { proxy: "http://user:p%40ssword@proxy:8080" }
providers:
  one: { type: openai-compatible, baseUrl: "http://h/v1", apiKey: "\${CANARY_KEY}" }
  two: { type: openai-compatible, baseUrl: "http://h/v1", apiKey: "file:two", headers: { Authorization: "Bearer in-a-header" } }
channels: { telegram: { accounts: { main: { token: "${BOT_TOKEN}", dmPolicy: disabled } } } }
`,
    { "/bot/two": "from-a-file\r\n" },
  );
  expect(ok).toBe(true);
  expect(secrets).toEqual(expect.arrayContaining([CANARY, "from-a-file", "in-a-header", BOT_TOKEN, "p@ssword", "p%40ssword"]));
});
