import { relative, resolve } from "node:path";
import { GatewayError } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { registerChannels } from "../../channels.ts";
import { type CliIo, EXIT, type ExitCode, printError } from "../io.ts";
import { DEFAULT_CONFIG_FILE } from "../load.ts";
import { type InitAnswers, MODEL_CHOICES, MODEL_KINDS } from "./answers.ts";
import { type Draft, draftConfig } from "./draft.ts";
import { createDraftTrial, type DraftTrial } from "./try-draft.ts";
import { filesInTheWay, writeDraft } from "./write-draft.ts";

/** What the command line says instead of a person. */
export interface InitOptions {
  readonly config?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly agent?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  readonly model?: string;
  readonly telegramTokenEnv?: string;
  readonly telegramApiRoot?: string;
}

/** Makes a configuration: by questions at a terminal, or with `--yes` from the options. Everything in it has been tried. */
export async function initCommand(options: InitOptions, io: CliIo): Promise<ExitCode> {
  const path = resolve(options.config ?? DEFAULT_CONFIG_FILE);
  const trial = createDraftTrial(await registerChannels(createContainer()), io.redactor);
  if (options.yes === true) return initByOptions(options, path, trial, io);
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return usage("questions need a terminal; without one, use --yes", io);
  const [{ terminalPrompts }, { askAnswers }] = await Promise.all([import("./prompts.ts"), import("./wizard.ts")]);
  const prompts = terminalPrompts();
  prompts.begin("A configuration for Trunkline");
  const draft = draftConfig(await askAnswers({ prompts, trial, env: process.env, path }), path);
  const inTheWay = filesInTheWay(draft);
  if (inTheWay.length > 0 && !(await prompts.confirm(`Replace ${inTheWay.map(shown).join(" and ")}?`)))
    throw new GatewayError("GATEWAY_CANCELLED");
  writeDraft(draft);
  prompts.end(`${shown(path)} is written.`);
  announce(draft, options, io);
  return EXIT.ok;
}

async function initByOptions(options: InitOptions, path: string, trial: DraftTrial, io: CliIo): Promise<ExitCode> {
  const answers = answersOf(options);
  if (typeof answers === "string") return usage(answers, io);
  const draft = draftConfig(answers, path);
  const [inTheWay] = filesInTheWay(draft);
  if (inTheWay !== undefined && options.force !== true) {
    const hint = "Add --force to replace it, or name another file with --config.";
    throw new GatewayError("CONFIG_WRITE_FAILED", { detail: { file: inTheWay, reason: "it is there already" }, hint });
  }
  const error =
    (await trial.model(draft, process.env)) ?? (answers.telegram === undefined ? undefined : await trial.telegram(draft, process.env));
  if (error !== undefined) throw error;
  writeDraft(draft);
  io.out(`${shown(path)} is written.`);
  announce(draft, options, io);
  return EXIT.ok;
}

/** The answers in the options, or what is wrong with them. */
function answersOf(options: InitOptions): InitAnswers | string {
  const { provider = "demo", baseUrl, keyEnv, telegramTokenEnv, telegramApiRoot } = options;
  const kind = MODEL_KINDS.find((one) => one === provider);
  if (kind === undefined) return `--provider is one of ${MODEL_KINDS.join(", ")}`;
  if (kind === "openai-compatible" && baseUrl === undefined) return "--provider openai-compatible needs --base-url";
  for (const name of [keyEnv, telegramTokenEnv])
    if (name !== undefined && !/^[A-Za-z_]\w*$/.test(name))
      return "--key-env and --telegram-token-env take the name of a variable, not the secret";
  const variable = keyEnv ?? (kind === "openai-compatible" ? undefined : MODEL_CHOICES[kind].variable);
  return {
    agentName: options.agent ?? "Aria",
    ...(kind === "demo"
      ? {}
      : {
          model: {
            kind,
            ...(baseUrl === undefined ? {} : { baseUrl }),
            ...(variable === undefined ? {} : { key: { in: "env", name: variable } }),
            model: options.model ?? MODEL_CHOICES[kind].model,
          },
        }),
    ...(telegramTokenEnv === undefined
      ? {}
      : {
          telegram: {
            token: { in: "env", name: telegramTokenEnv },
            ...(telegramApiRoot === undefined ? {} : { apiRoot: telegramApiRoot }),
          },
        }),
  };
}

function announce({ variables }: Draft, { config }: InitOptions, io: CliIo): void {
  if (variables.length > 0) io.out(`Set before each start: ${variables.join(", ")}`);
  io.out(`Next: trunkline start${config === undefined ? "" : ` --config ${config}`}`);
}

function usage(reason: string, io: CliIo): ExitCode {
  printError(io, new GatewayError("GATEWAY_USAGE", { detail: { reason }, hint: "See `trunkline init --help`." }));
  return EXIT.usage;
}

/** A path as short as it can be said. */
function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}
