import type { GatewayError } from "@trunkline/plugin-sdk";
import type { Environment } from "../../config/environment.ts";
import { type InitAnswers, MODEL_CHOICES, MODEL_KINDS, type ModelAnswer, type SecretPlace, type TelegramAnswer } from "./answers.ts";
import { draftConfig } from "./draft.ts";
import type { Prompts } from "./prompts.ts";
import type { DraftTrial } from "./try-draft.ts";

export interface WizardDeps {
  readonly prompts: Prompts;
  readonly trial: DraftTrial;
  readonly env: Environment;
  /** Where the configuration is going to be. */
  readonly path: string;
}

/** Asks for everything that a configuration needs; each key is tried before the next question. Writes nothing. */
export async function askAnswers(deps: WizardDeps): Promise<InitAnswers> {
  const { prompts } = deps;
  const agentName = await prompts.text("What is the agent called?", "Aria");
  const model = await askModel(agentName, deps);
  const telegram = (await prompts.confirm("Shall people reach it on Telegram, too?")) ? await askTelegram(agentName, deps) : undefined;
  return { agentName, ...(model === undefined ? {} : { model }), ...(telegram === undefined ? {} : { telegram }) };
}

async function askModel(agentName: string, deps: WizardDeps): Promise<ModelAnswer | undefined> {
  const { prompts, trial } = deps;
  for (;;) {
    const kind = await prompts.choose(
      "Which model answers?",
      MODEL_KINDS.map((value) => ({ value, label: MODEL_CHOICES[value].label })),
    );
    if (kind === "demo") return undefined;
    const choice = MODEL_CHOICES[kind];
    const baseUrl = kind === "openai-compatible" ? await prompts.text("At which address?", "http://127.0.0.1:11434/v1") : undefined;
    const key = await askSecret("Its key? (Enter when it needs none)", choice.variable, deps);
    const answer: ModelAnswer = {
      kind,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(key.place === undefined ? {} : { key: key.place }),
      model: await prompts.text("Which of its models?", choice.model),
    };
    const draft = draftConfig({ agentName, model: answer }, deps.path);
    if (await passes("Asking the model", "The model answers.", () => trial.model(draft, key.env), prompts)) return answer;
  }
}

async function askTelegram(agentName: string, deps: WizardDeps): Promise<TelegramAnswer | undefined> {
  const { prompts, trial } = deps;
  prompts.say("Write to @BotFather in Telegram: /newbot, then a name, then a user name that ends in bot. It answers with a token.");
  for (;;) {
    const token = await askSecret("The token? (Enter to go on without Telegram)", "TELEGRAM_TOKEN", deps);
    if (token.place === undefined) return undefined;
    const answer = { token: token.place };
    const draft = draftConfig({ agentName, telegram: answer }, deps.path);
    if (await passes("Asking Telegram", "Telegram knows the bot.", () => trial.telegram(draft, token.env), prompts)) return answer;
  }
}

/** A secret's place, and the environment in which it can be tried. */
interface AskedSecret {
  /** Undefined when there is none. */
  readonly place: SecretPlace | undefined;
  readonly env: Environment;
}

async function askSecret(question: string, variable: string, { prompts, env }: WizardDeps): Promise<AskedSecret> {
  const set = (env[variable] ?? "") !== "";
  if (set && (await prompts.confirm(`Use the one in the environment variable ${variable}?`)))
    return { place: { in: "env", name: variable }, env };
  const value = await prompts.secret(question);
  if (value === "") return { place: undefined, env };
  const place = await prompts.choose("Where shall it be kept?", [
    { value: "file", label: "in a file that only you can read, beside the configuration" },
    { value: "env", label: `in the environment variable ${variable}, which you set before each start` },
  ]);
  if (place === "file") return { place: { in: "file", value }, env };
  return { place: { in: "env", name: variable }, env: { ...env, [variable]: value } };
}

/** Whether a trial went well, or the person goes on nevertheless. False: ask again. */
async function passes(what: string, good: string, trial: () => Promise<GatewayError | undefined>, prompts: Prompts): Promise<boolean> {
  let error: GatewayError | undefined;
  await prompts.during(what, async () => {
    error = await trial();
    return error === undefined ? good : `${error.code}: ${error.message} ${error.hint}`;
  });
  if (error === undefined) return true;
  const next = await prompts.choose("What now?", [
    { value: "again", label: "enter it again" },
    { value: "keep", label: "keep it as it is; I shall mend it later" },
  ]);
  return next === "keep";
}
