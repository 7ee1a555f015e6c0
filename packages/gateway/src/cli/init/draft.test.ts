import { createContainer } from "@trunkline/plugin-sdk/container";
import { describe, expect, it } from "vitest";
import { registerChannels } from "../../channels.ts";
import { formatIssues } from "../../config/issue.ts";
import { loadConfig } from "../../config/load.ts";
import { type InitAnswers, MODEL_CHOICES, MODEL_KINDS } from "./answers.ts";
import { draftConfig } from "./draft.ts";

const PATH = "/srv/bot/trunkline.yaml";
const TOKEN = `123456789:${"A".repeat(35)}`;

/** What `trunkline check` says about a draft. */
async function check(answers: InitAnswers) {
  const draft = draftConfig(answers, PATH);
  const files = new Map([draft.config, ...draft.secrets].map(({ path, text }) => [path, text]));
  return loadConfig({
    file: PATH,
    env: { TELEGRAM_TOKEN: TOKEN, KEY: "key-in-the-environment" },
    channels: await registerChannels(createContainer()),
    knownProviders: ["demo"],
    files: { read: (path) => new TextEncoder().encode(files.get(path)), mode: () => 0o600 },
  });
}

describe("a drafted configuration", () => {
  it.each(MODEL_KINDS)("is accepted without a warning for %s", async (kind) => {
    const model = kind === "demo" ? undefined : { kind, model: MODEL_CHOICES[kind].model, key: { in: "env" as const, name: "KEY" } };
    const more = kind === "openai-compatible" ? { baseUrl: "http://127.0.0.1:11434/v1" } : {};
    const loaded = await check({
      agentName: "Aria",
      ...(model === undefined ? {} : { model: { ...model, ...more } }),
      telegram: { token: { in: "env", name: "TELEGRAM_TOKEN" } },
    });
    expect(formatIssues([...(loaded.ok ? [] : loaded.issues), ...loaded.warnings])).toBe("");
    expect(loaded.ok && loaded.snapshot.config.agents.list[0]?.model.primary).toBe(
      `${MODEL_CHOICES[kind].id}/${MODEL_CHOICES[kind].model}`,
    );
  });

  it("keeps a secret out of the YAML: in a file of its own, or in the environment", () => {
    const { config, secrets, variables } = draftConfig(
      {
        agentName: "Aria",
        model: { kind: "anthropic", model: "claude", key: { in: "file", value: "very-secret-key" } },
        telegram: { token: { in: "env", name: "BOT" } },
      },
      PATH,
    );
    expect(config.text).not.toContain("very-secret-key");
    expect(config.text).toContain("apiKey: file:./secrets/anthropic-key");
    expect(config.text).toContain("token: ${BOT}");
    expect(secrets).toEqual([{ path: "/srv/bot/secrets/anthropic-key", text: "very-secret-key\n" }]);
    expect(variables).toEqual(["BOT"]);
  });

  it("takes any name for what it is: text", async () => {
    for (const agentName of ['A "quoted": name', "${HOME}", "яна", "- list", "42"]) {
      const loaded = await check({ agentName });
      expect(loaded.ok && loaded.snapshot.config.agents.list[0]?.identity.name, agentName).toBe(agentName);
    }
  });
});
