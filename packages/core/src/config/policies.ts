import type { ChannelPlugin } from "@trunkline/plugin-sdk";
import { showWord } from "./found.ts";
import { type ConfigContext, type ConfigPath, type ConfigProblem, warning } from "./problem.ts";
import { accountsOf, isMap, listOf, mapOf, textsOf, valueAt } from "./tree.ts";

/** Rules that contradict each other, let nobody in, or let in more than meant. Reads the raw tree. */
export function policyProblems(tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  return [
    ...noAccount(tree),
    ...listenAddress(tree),
    ...sharedMemory(tree),
    ...accountsOf(tree).flatMap((entry) => accountProblems(entry, tree, context)),
  ];
}

interface Account {
  readonly channel: string;
  readonly account: string;
  readonly path: ConfigPath;
  readonly value: Readonly<Record<string, unknown>>;
}

function accountProblems({ channel, account, path, value }: Account, tree: unknown, context: ConfigContext): readonly ConfigProblem[] {
  const plugin = context.channels.find((one) => one.id === channel);
  if (plugin === undefined) return [];
  const enabled = value["enabled"] !== false;
  const owners = textsOf(valueAt(tree, ["owners"])).filter(([, entry]) => entry.startsWith(`${channel}:${account}:`));
  return [
    ...entryProblems(plugin, value, path),
    ...(plugin.capabilities.authenticates || !enabled ? [] : directProblems(value, path, owners.length)),
    ...(enabled ? closedGroups(value, path) : []),
  ];
}

function directProblems(value: Account["value"], path: ConfigPath, owners: number): readonly ConfigProblem[] {
  const policy = value["dmPolicy"] ?? "pairing";
  const allowFrom = value["allowFrom"];
  // A list of the wrong type has been refused already; what it would mean is anybody's guess.
  if (allowFrom !== undefined && !Array.isArray(allowFrom)) return [];
  const entries = listOf(allowFrom);
  if (entries.some((entry) => typeof entry !== "string")) return [];
  const everybody = entries.includes("*");
  const at = value["dmPolicy"] === undefined ? path : [...path, "dmPolicy"];
  if (policy === "open") return everybody ? [] : [openWithoutStar(at)];
  if (policy !== "pairing" && policy !== "allowlist") return [];
  const named = entries.filter((entry) => entry !== "*").length + owners;
  const star = everybody
    ? [
        warning(
          [...path, "allowFrom", entries.indexOf("*")],
          `"*" has no effect with dmPolicy: ${policy}`,
          "To let everybody in, write dmPolicy: open.",
        ),
      ]
    : [];
  if (policy === "pairing") return star;
  const closed = warning(
    allowFrom === undefined ? at : [...path, "allowFrom"],
    "nobody can write in direct messages: allowFrom is empty",
    "Put the ids that may write into it, in quotes.",
  );
  return named > 0 ? star : [...star, closed];
}

function openWithoutStar(path: ConfigPath): ConfigProblem {
  return {
    code: "CONFIG_INVALID",
    path,
    message: 'open needs "*" in allowFrom',
    hint: 'Anybody on the platform could then write to the agent. If that is meant, write allowFrom: ["*"]; else dmPolicy: allowlist.',
  };
}

function closedGroups(value: Account["value"], path: ConfigPath): readonly ConfigProblem[] {
  return Object.entries(mapOf(value["groups"])).flatMap(([id, group]) => {
    const allowFrom = mapOf(group)["allowFrom"];
    const closed = Array.isArray(allowFrom) && allowFrom.length === 0;
    return closed
      ? [
          warning(
            [...path, "groups", id, "allowFrom"],
            "nobody can write to the agent in this group: allowFrom is empty",
            "Remove the key to let the whole group write.",
          ),
        ]
      : [];
  });
}

/** Ids that the channel knows can never match: names that change hands, for example. */
function entryProblems(plugin: ChannelPlugin, value: Account["value"], path: ConfigPath): readonly ConfigProblem[] {
  const refuse = plugin.access?.refuseEntry?.bind(plugin.access);
  if (refuse === undefined) return [];
  const lists: ConfigPath[] = [["allowFrom"], ...Object.keys(mapOf(value["groups"])).map((id) => ["groups", id, "allowFrom"])];
  return lists.flatMap((list) =>
    textsOf(valueAt(value, list)).flatMap(([index, entry]) => {
      const hint = entry === "*" || entry === "" ? undefined : refuse(entry);
      const shown = showWord(entry);
      return hint === undefined
        ? []
        : [{ code: "CONFIG_INVALID" as const, path: [...path, ...list, index], message: `${shown} cannot be used as a sender id`, hint }];
    }),
  );
}

function noAccount(tree: unknown): readonly ConfigProblem[] {
  const channels = valueAt(tree, ["channels"]);
  if (!isMap(channels) || accountsOf(tree).some(({ value }) => value["enabled"] !== false)) return [];
  return [
    warning(
      ["channels"],
      "no account is enabled, so nobody can write to the gateway",
      "Add an account to a channel: accounts: { main: {} }.",
    ),
  ];
}

function listenAddress(tree: unknown): readonly ConfigProblem[] {
  const host = valueAt(tree, ["gateway", "host"]);
  if (
    typeof host !== "string" ||
    host === "" ||
    host === "localhost" ||
    host === "::1" ||
    host === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(host)
  )
    return [];
  return [
    warning(
      ["gateway", "host"],
      "the gateway can be reached from other machines",
      "Write 127.0.0.1 to keep it on this one, or put a proxy with TLS in front of it.",
    ),
  ];
}

function sharedMemory(tree: unknown): readonly ConfigProblem[] {
  if (valueAt(tree, ["session", "dmScope"]) !== "main") return [];
  const senders = new Set(
    accountsOf(tree).flatMap(({ channel, value }) => textsOf(value["allowFrom"]).map(([, id]) => `${channel}:${id}`)),
  );
  const everybody = [...senders].some((sender) => sender.endsWith(":*"));
  if (senders.size < 2 && !everybody) return [];
  return [
    warning(
      ["session", "dmScope"],
      "all direct messages share one memory, and more than one person may write",
      "What one person tells the agent can reach another; per-account-channel-peer keeps them apart.",
    ),
  ];
}
