import { GatewayError } from "@trunkline/plugin-sdk";
import { expect, it } from "vitest";
import type { Draft } from "./draft.ts";
import type { Prompts } from "./prompts.ts";
import type { DraftTrial } from "./try-draft.ts";
import { askAnswers } from "./wizard.ts";

/** A person who answers in order: a text, a choice's value, or yes and no. An undefined answer is Ctrl-C. */
function person(
  ...answers: readonly (string | boolean | undefined)[]
): Prompts & { readonly heard: string[]; readonly left: () => number } {
  const heard: string[] = [];
  let at = 0;
  const next = <Answer extends string | boolean>(question: string): Promise<Answer> => {
    heard.push(question);
    const answer = answers[at++];
    return answer === undefined ? Promise.reject(new GatewayError("GATEWAY_CANCELLED")) : Promise.resolve(answer as Answer);
  };
  return {
    heard,
    left: () => answers.length - at,
    choose: (question) => next(question),
    text: (question) => next(question),
    secret: (question) => next(question),
    confirm: (question) => next(question),
    during: async (_what, work) => void heard.push(await work()),
    say: (text) => void heard.push(text),
  };
}

/** Services that take what is right, and remember the environment that they were tried in. */
function trial(right = "right-key"): DraftTrial & { readonly tried: string[] } {
  const tried: string[] = [];
  const judge = async (draft: Draft, env: Readonly<Record<string, string | undefined>>): Promise<GatewayError | undefined> => {
    const key = draft.secrets[0]?.text.trim() ?? env[draft.variables[0] ?? ""] ?? "";
    tried.push(key);
    return key === right ? undefined : new GatewayError("MODEL_AUTH", { detail: { provider: "anthropic" } });
  };
  return { tried, model: judge, telegram: judge };
}

const ask = (prompts: Prompts, own: DraftTrial, env: Record<string, string> = {}) =>
  askAnswers({ prompts, trial: own, env, path: "/x/trunkline.yaml" });

it("makes the demo of two answers", async () => {
  const prompts = person("Aria", "demo", false);
  expect(await ask(prompts, trial())).toEqual({ agentName: "Aria" });
  expect(prompts.left()).toBe(0);
});

it("tries a key before it goes on, and asks again when it is refused", async () => {
  const own = trial();
  const prompts = person("Aria", "anthropic", "wrong", "file", "claude", "again", "anthropic", "right-key", "file", "claude", false);
  expect(await ask(prompts, own)).toEqual({
    agentName: "Aria",
    model: { kind: "anthropic", key: { in: "file", value: "right-key" }, model: "claude" },
  });
  expect(own.tried).toEqual(["wrong", "right-key"]);
  expect(prompts.heard.some((line) => line.includes("MODEL_AUTH"))).toBe(true);
  expect(prompts.heard).toContain("The model answers.");
});

it("keeps a refused key when the person wants that", async () => {
  const answers = await ask(person("Aria", "anthropic", "wrong", "file", "claude", "keep", false), trial());
  expect(answers.model?.key).toEqual({ in: "file", value: "wrong" });
});

it("tries a key that stays in the environment, and forgets it", async () => {
  const own = trial();
  const answers = await ask(person("Aria", "openai", "right-key", "env", "gpt", false), own);
  expect(own.tried).toEqual(["right-key"]);
  expect(JSON.stringify(answers)).not.toContain("right-key");
});

it("offers the key that is in the environment already", async () => {
  const answers = await ask(person("Aria", "anthropic", true, "claude", false), trial(), { ANTHROPIC_API_KEY: "right-key" });
  expect(answers.model?.key).toEqual({ in: "env", name: "ANTHROPIC_API_KEY" });
});

it("tries a bot token too, and goes on without Telegram when none is given", async () => {
  const with_ = await ask(person("Aria", "demo", true, "right-key", "file"), trial());
  expect(with_.telegram).toEqual({ token: { in: "file", value: "right-key" } });
  expect((await ask(person("Aria", "demo", true, ""), trial())).telegram).toBeUndefined();
});

it("ends at Ctrl-C, whatever was asked", async () => {
  await expect(ask(person("Aria", "anthropic", undefined), trial())).rejects.toMatchObject({ code: "GATEWAY_CANCELLED" });
});
