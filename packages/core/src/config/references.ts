import { showWord } from "./found.ts";
import { findNearest } from "./nearest.ts";
import { keyVariablesOf } from "../providers/key-variables.ts";
import { isSecretPlace } from "./places.ts";
import { type ConfigContext, type ConfigPath, type ConfigProblem, type ConfigProblemCode, formatPath, warning } from "./problem.ts";
import { missing } from "./schema-problems.ts";
import { accountsOf, listOf, mapOf, textsOf, valueAt } from "./tree.ts";

/** Names that point at nothing: agents, channels, accounts, providers; and names that two things claim. Reads the raw tree. */
export function referenceProblems(tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  return [
    ...duplicateAgents(tree),
    ...agentReferences(tree),
    ...bindingReferences(tree, context),
    ...personReferences(tree, context),
    ...modelReferences(tree, context),
    ...reservedProviders(tree, context),
    ...providersWithoutAddress(tree),
    ...sharedSecrets(tree, context),
  ];
}

function agentIds(tree: unknown): readonly string[] {
  const ids = listOf(valueAt(tree, ["agents", "list"])).map((agent) => mapOf(agent)["id"]);
  return [...new Set(ids)].filter((id) => typeof id === "string");
}

function duplicateAgents(tree: unknown): readonly ConfigProblem[] {
  const first = new Map<string, number>();
  return listOf(valueAt(tree, ["agents", "list"])).flatMap((agent, index) => {
    const id = mapOf(agent)["id"];
    if (typeof id !== "string") return [];
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    const path = ["agents", "list", index, "id"];
    return earlier === undefined
      ? []
      : [{ code: "CONFIG_INVALID", path, message: `the agent ${showWord(id)} is there twice`, hint: "Give one of them another id." }];
  });
}

function agentReferences(tree: unknown): readonly ConfigProblem[] {
  const ids = agentIds(tree);
  const places = [
    ...listOf(valueAt(tree, ["bindings"])).map((_, index) => ["bindings", index, "agent"]),
    ...accountsOf(tree).flatMap(({ path, value }) =>
      Object.keys(mapOf(value["groups"])).map((group) => [...path, "groups", group, "agent"]),
    ),
  ];
  // Without a list there is the built-in agent; which one that is, the reader of the defaults knows.
  const known = valueAt(tree, ["agents", "list"]) === undefined ? [DEFAULT_AGENT_ID] : ids;
  return places.flatMap((path) => dangling("CONFIG_INVALID", "agent", valueAt(tree, path), path, known, "Add it to agents.list."));
}

/** Id of the agent that answers when the file lists none. */
export const DEFAULT_AGENT_ID = "guide";

function bindingReferences(tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  const channels = context.channels.map((channel) => channel.id);
  const seen = new Map<string, number>();
  return listOf(valueAt(tree, ["bindings"])).flatMap((binding, index) => {
    const match = mapOf(mapOf(binding)["match"]);
    const path = ["bindings", index, "match"];
    const { channel, account } = match;
    const unknownChannel = dangling("CHANNEL_UNKNOWN", "channel", channel, [...path, "channel"], channels);
    const accounts = typeof channel === "string" ? Object.keys(mapOf(valueAt(tree, ["channels", channel, "accounts"]))) : undefined;
    const unknownAccount =
      accounts === undefined || unknownChannel.length > 0
        ? []
        : dangling("CONFIG_INVALID", "account", account, [...path, "account"], accounts, `Add it to channels.${String(channel)}.accounts.`);
    const key = JSON.stringify(Object.entries(match).toSorted(([left], [right]) => (left < right ? -1 : 1)));
    const earlier = seen.get(key);
    if (earlier === undefined) seen.set(key, index);
    const unreachable =
      earlier === undefined
        ? []
        : [warning(["bindings", index], "this binding is never used", `bindings.${earlier} has the same match and comes first.`)];
    return [...unknownChannel, ...unknownAccount, ...unreachable];
  });
}

/** `channel:account:senderId` wherever people are named across channels. */
function personReferences(tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  const lists: ConfigPath[] = [["owners"], ["commands", "allowFrom"], ["elevated", "allowFrom"]];
  return lists.flatMap((list) =>
    textsOf(valueAt(tree, list)).flatMap(([index, entry]) => personProblems(entry, [...list, index], tree, context)),
  );
}

function personProblems(entry: string, path: ConfigPath, tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  const [, channel, account, id] = /^([^:]+):([^:]+):(.+)$/su.exec(entry) ?? [];
  if (channel === undefined || account === undefined || id === undefined) {
    return [
      {
        code: "CONFIG_INVALID",
        path,
        message: `expected channel:account:senderId, found ${showWord(entry)}`,
        hint: `For example ${context.channels[0]?.id ?? "channel"}:main:1111.`,
      },
    ];
  }
  const plugin = context.channels.find((one) => one.id === channel);
  if (plugin === undefined)
    return dangling(
      "CHANNEL_UNKNOWN",
      "channel",
      channel,
      path,
      context.channels.map((one) => one.id),
    );
  const accounts = Object.keys(mapOf(valueAt(tree, ["channels", channel, "accounts"])));
  const refusal = plugin.access?.refuseEntry?.(id);
  return [
    ...dangling("CONFIG_INVALID", "account", account, path, accounts, `Add it to channels.${channel}.accounts.`),
    ...(refusal === undefined
      ? []
      : [{ code: "CONFIG_INVALID" as const, path, message: `${showWord(id)} cannot be used as a sender id`, hint: refusal }]),
  ];
}

function modelReferences(tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  const providers = [...new Set([...context.knownProviders, ...Object.keys(mapOf(valueAt(tree, ["providers"])))])];
  const models: ConfigPath[] = [
    ["agents", "defaults", "model"],
    ...listOf(valueAt(tree, ["agents", "list"])).map((_, index) => ["agents", "list", index, "model"]),
  ];
  return models.flatMap((path) => {
    const model = mapOf(valueAt(tree, path));
    const primary = typeof model["primary"] === "string" ? [[[...path, "primary"], model["primary"]] as const] : [];
    const fallbacks = textsOf(model["fallbacks"]).map(([index, text]) => [[...path, "fallbacks", index], text] as const);
    return [...primary, ...fallbacks].flatMap(([at, text]) => modelProblems(text, at, providers));
  });
}

function modelProblems(model: string, path: ConfigPath, providers: readonly string[]): readonly ConfigProblem[] {
  const slash = model.indexOf("/");
  if (slash <= 0 || slash === model.length - 1) {
    const hint = `Write the provider before it: ${providers[0] ?? "provider"}/... Known providers: ${listed(providers)}.`;
    return [{ code: "MODEL_UNKNOWN", path, message: `expected provider/model, found ${showWord(model)}`, hint, allowed: providers }];
  }
  const provider = model.slice(0, slash);
  const variable = keyVariablesOf(provider)[0];
  const remedy = variable === undefined ? "Add it to providers." : `Set ${variable} in the environment, or add it to providers.`;
  return dangling("MODEL_UNKNOWN", "provider", provider, path, providers, remedy);
}

function reservedProviders(tree: unknown, { knownProviders }: ConfigContext): readonly ConfigProblem[] {
  return Object.keys(mapOf(valueAt(tree, ["providers"]))).flatMap((id) =>
    knownProviders.includes(id)
      ? [
          {
            code: "CONFIG_INVALID" as const,
            path: ["providers", id],
            at: "key" as const,
            message: `the provider ${id} is built in`,
            hint: "Choose another name for yours.",
          },
        ]
      : [],
  );
}

/** A compatible server can be anywhere; the others have an address of their own. */
function providersWithoutAddress(tree: unknown): readonly ConfigProblem[] {
  return Object.entries(mapOf(valueAt(tree, ["providers"]))).flatMap(([id, provider]) => {
    const { type, baseUrl } = mapOf(provider);
    return type === "openai-compatible" && baseUrl === undefined ? [missing(["providers", id, "baseUrl"])] : [];
  });
}

/** Two accounts with one token would take each other's messages. */
function sharedSecrets(tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  const first = new Map<string, ConfigPath>();
  return accountsOf(tree).flatMap(({ channel, path, value }) =>
    Object.entries(value).flatMap(([key, secret]) => {
      const at = [...path, key];
      if (typeof secret !== "string" || secret === "" || !isSecretPlace(at, context.channels)) return [];
      const earlier = first.get(`${channel}:${key}:${secret}`);
      if (earlier === undefined) first.set(`${channel}:${key}:${secret}`, at);
      return earlier === undefined
        ? []
        : [
            warning(
              at,
              `the same ${key} is used by ${formatPath(earlier)}`,
              "Two accounts with one login take each other's messages; remove one.",
            ),
          ];
    }),
  );
}

/** Names that are listed in one sentence. */
const MOST_LISTED = 20;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED;
  return more > 0 ? `${names.slice(0, MOST_LISTED).join(", ")} and ${more} more` : names.join(", ");
}

function dangling(
  code: ConfigProblemCode,
  kind: string,
  name: unknown,
  path: ConfigPath,
  known: readonly string[],
  remedy = "",
): readonly ConfigProblem[] {
  if (typeof name !== "string" || name === "" || known.includes(name)) return [];
  const nearest = findNearest(name, known);
  const meant = nearest === undefined ? [] : [`Did you mean ${nearest}?`];
  const list = known.length === 0 ? `There is no ${kind} yet.` : `Known ${kind}s: ${listed(known)}.`;
  return [
    {
      code,
      path,
      message: `there is no ${kind} ${showWord(name)}`,
      hint: [...meant, list, ...(remedy === "" ? [] : [remedy])].join(" "),
      found: showWord(name),
      allowed: known,
      ...(nearest === undefined ? {} : { nearest }),
    },
  ];
}
