import type { BindingConfig, Decision, GatewayConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { groupConfigOf } from "../access/group.ts";

/** Which agent answers, and the rule that said so. */
export interface Route {
  readonly agent: string;
  readonly decision: Decision;
}

type Tier = "peer" | "thread-parent" | "space" | "account" | "channel" | "default";

/** Most specific first; within a tier the first binding wins. */
const TIERS: readonly Tier[] = ["peer", "thread-parent", "space", "account", "channel", "default"];

/** Chooses the agent: the group's own `agent`, else the bindings by tier, else the first agent of the list. Pure. */
export function decideRoute(message: InboundMessage, config: GatewayConfig): Route {
  const { conversation } = message;
  const base = `channels.${conversation.channel}.accounts.${conversation.account}`;
  const account = config.channels[conversation.channel]?.accounts[conversation.account];
  const group = account && groupConfigOf(account, conversation);
  if (conversation.kind !== "direct" && group?.config.agent !== undefined) {
    const { agent } = group.config;
    return { agent, decision: decided("group", `the group names the agent ${agent}`, `${base}.groups.${group.keyOf("agent")}.agent`) };
  }
  for (const tier of TIERS) {
    const index = config.bindings.findIndex((binding) => matches(binding, tier, message));
    const binding = config.bindings[index];
    if (binding)
      return {
        agent: binding.agent,
        decision: decided(tier, `binding ${index + 1} (${tier}) names the agent ${binding.agent}`, `bindings.${index}`),
      };
  }
  const first = config.agents.list[0];
  return {
    agent: first?.id ?? "",
    decision: decided("first-agent", `no binding matches; the first agent is ${first?.id ?? "missing"}`, "agents.list.0"),
  };
}

function decided(code: string, why: string, path: string): Decision {
  return { stage: "route", code, why, path };
}

function matches(binding: BindingConfig, tier: Tier, message: InboundMessage): boolean {
  const { match } = binding;
  const { conversation } = message;
  if (match.channel !== undefined && match.channel !== conversation.channel) return false;
  if (match.account !== undefined && match.account !== conversation.account) return false;
  if (match.space !== undefined && match.space !== conversation.space) return false;
  if (tierOf(binding, message) !== tier) return false;
  return match.peer === undefined || peersOf(message).includes(match.peer);
}

/** The tier a binding belongs to. A peer rule for a thread's parent chat is less specific than one for the thread itself. */
function tierOf({ match }: BindingConfig, message: InboundMessage): Tier {
  if (match.peer !== undefined) {
    const [ownThread] = peersOf(message);
    return message.conversation.threadId !== undefined && match.peer !== ownThread ? "thread-parent" : "peer";
  }
  if (match.space !== undefined) return "space";
  if (match.account !== undefined) return "account";
  return match.channel === undefined ? "default" : "channel";
}

/** `dm:ID`, `group:ID` or `channel:ID`, with `:THREAD` first for a thread. */
function peersOf(message: InboundMessage): readonly string[] {
  const { conversation, sender } = message;
  if (conversation.kind === "direct") return [`dm:${sender.id}`];
  const chat = `${conversation.kind}:${conversation.id}`;
  return conversation.threadId === undefined ? [chat] : [`${chat}:${conversation.threadId}`, chat];
}
