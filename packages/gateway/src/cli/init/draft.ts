import { dirname, join } from "node:path";
import { type InitAnswers, MODEL_CHOICES, type SecretPlace } from "./answers.ts";

/** A file to write; secrets are for the owner alone. */
export interface DraftFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** Everything that is to be written; nothing is yet. */
export interface Draft {
  readonly config: DraftFile;
  readonly secrets: readonly DraftFile[];
  /** `provider/model` that answers. */
  readonly model: string;
  /** Variables that have to be set when the gateway starts. */
  readonly variables: readonly string[];
}

/** Makes the files of a new configuration at `path`. */
export function draftConfig(answers: InitAnswers, path: string): Draft {
  const secrets: DraftFile[] = [];
  const variables: string[] = [];
  const secret = (place: SecretPlace, name: string): string => {
    if (place.in === "env") {
      variables.push(place.name);
      return `\${${place.name}} # from the environment`;
    }
    secrets.push({ path: join(dirname(path), "secrets", name), text: `${place.value}\n` });
    return `file:./secrets/${name} # a file that only you can read`;
  };
  const { id, model: demo } = MODEL_CHOICES[answers.model?.kind ?? "demo"];
  const model = `${id}/${answers.model?.model ?? demo}`;
  const lines = [
    "# Written by `trunkline init`. After each change, `trunkline check` tells what is wrong, with the line and how to mend it.",
    "# A gateway that runs follows this file within 2 seconds.",
    "version: 1",
    "",
    ...providerLines(answers, id, secret),
    "# Who answers.",
    "agents:",
    "  list:",
    `    - id: ${agentId(answers.agentName)}`,
    `      identity: { name: ${quoted(answers.agentName)} }`,
    "      # The instructions themselves, or a text file such as ./agents/aria.md.",
    `      instructions: ${quoted(`You are ${answers.agentName}. Be brief, and answer in the language that you are asked in.`)}`,
    `      model: { primary: ${quoted(model)} }`,
    "",
    "# Where people write.",
    "channels:",
    "  # The chat in your browser. `trunkline start` prints its address.",
    "  web:",
    "    accounts:",
    "      main: {}",
    ...telegramLines(answers, secret),
  ];
  return { config: { path, text: `${lines.join("\n")}\n` }, secrets, model, variables };
}

type WriteSecret = (place: SecretPlace, name: string) => string;

function providerLines({ model }: InitAnswers, id: string, secret: WriteSecret): readonly string[] {
  if (model === undefined) return [];
  return [
    "# The model behind the agent.",
    "providers:",
    `  ${id}:`,
    `    type: ${model.kind}`,
    ...(model.baseUrl === undefined ? [] : [`    baseUrl: ${quoted(model.baseUrl)}`]),
    ...(model.key === undefined ? [] : [`    apiKey: ${secret(model.key, `${id}-key`)}`]),
    "",
  ];
}

function telegramLines({ telegram }: InitAnswers, secret: WriteSecret): readonly string[] {
  if (telegram === undefined) return [];
  return [
    "  telegram:",
    "    accounts:",
    "      main:",
    `        token: ${secret(telegram.token, "telegram-token")}`,
    ...(telegram.apiRoot === undefined ? [] : [`        apiRoot: ${quoted(telegram.apiRoot)}`]),
    "        # Who is new gets a code; `trunkline pairing approve telegram CODE` lets them in.",
    "        dmPolicy: pairing",
  ];
}

/** Lower-case letters, digits and dashes of the name. */
function agentId(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return /^[a-z]/.test(id) ? id.slice(0, 40) : "agent";
}

/** A text in double quotes, in which nothing is taken for a variable. JSON's strings are YAML's. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll("${", () => "$${"));
}
