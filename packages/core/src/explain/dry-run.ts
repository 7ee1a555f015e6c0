import {
  type AccountConfig,
  type ChannelPlugin,
  type CommandDefinition,
  type ConfigSnapshot,
  conversationKey,
  type Decision,
  type Disposition,
  type InboundMessage,
  type SessionSettings,
  type Store,
} from "@trunkline/plugin-sdk";
import { accountPath } from "../access/access.ts";
import { authorityOf, decideCommand } from "../access/authorise.ts";
import { decidePairing } from "../access/pairing.ts";
import { parseCommand } from "../commands/parse.ts";
import { withOrigin } from "../inbound/accept.ts";
import { decideInbound, type InboundInput, sessionKeyFor } from "../inbound/decide.ts";
import { decideQueue, decideQuiet } from "../lanes/decide-queue.ts";
import { debouncePath, quietAfter } from "../lanes/look.ts";
import { takesOwnTurn } from "../lanes/own-turn.ts";
import { queueSettingsOf } from "../lanes/queue-settings.ts";
import { pairingKeyOf } from "../pairing/pairing-key.ts";
import { decideRoute } from "../routing/route.ts";
import { isApproved } from "../store/access.ts";
import { livePairings } from "../store/pairings.ts";
import { findSession } from "../store/sessions.ts";
import { type DryRunQuery, imagineMessage } from "./imagine.ts";

export type { DryRunQuery } from "./imagine.ts";

/** What would become of a message. Every decision carries the line that made it. */
export interface DryRun {
  readonly channel: string;
  readonly account: string;
  readonly conversation: string;
  readonly sender: string;
  /** How it would end: `command` and `replied` when nothing goes wrong on the way. */
  readonly outcome: Disposition;
  /** Whether the sender may talk to the agent here. */
  readonly allowed: boolean;
  /** In the order in which they are made. */
  readonly decisions: readonly Decision[];
  /** What the sender may do beyond talking. */
  readonly authority: Decision;
  /** Who would answer, also when access or the gate says that nobody does. */
  readonly route: { readonly agent: string; readonly sessionKey: string; readonly decision: Decision };
}

export interface DryRunDeps {
  readonly config: ConfigSnapshot;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, ChannelPlugin<any>>;
  readonly commands: readonly CommandDefinition[];
  /** Absent when nothing was ever stored: then nobody is approved. */
  readonly store: Store | undefined;
  /** Ms UTC. */
  readonly now: number;
  readonly runningTurn: InboundInput["runningTurn"];
}

/** Runs the decision chain on an imagined message. Reads the store and changes nothing. */
export async function dryRun(query: DryRunQuery, deps: DryRunDeps): Promise<DryRun> {
  const { config } = deps.config;
  const message = imagineMessage(query, config, deps.now, deps.channels);
  const place = message.conversation;
  const account = config.channels[place.channel]!.accounts[place.account]!; // `imagineMessage` checked both
  const channel = deps.channels.get(place.channel)!;

  const route = decideRoute(message, config);
  const sessionKey = sessionKeyFor(message, route.agent, config, channel);
  const known = await whatIsKnown(message, sessionKey, deps);
  const input = { message, config, account, channel, approved: known.approved };
  const authority = authorityOf(input);
  const verdict = decideInbound({ ...input, now: deps.now, runningTurn: deps.runningTurn, activation: known.settings.activation });
  const queued =
    verdict.disposition === null && !verdict.stops ? wouldQueue(message, sessionKey, route.agent, known.settings, deps) : undefined;
  const next =
    verdict.disposition === "pairing"
      ? decidePairing(known.requests, `${accountPath(message)}.dmPolicy`)
      : verdict.disposition === null
        ? queued?.dropped === true
          ? { disposition: "dropped" as const, decision: undefined }
          : afterAccept(message, verdict.stops, { deps, channel, account, agent: route.agent, authority })
        : { disposition: verdict.disposition, decision: undefined };
  const origin = (decision: Decision): Decision => withOrigin(decision, deps.config);
  return {
    channel: place.channel,
    account: place.account,
    conversation: conversationKey(place),
    sender: message.sender.id,
    outcome: next.disposition,
    allowed: !verdict.stranger,
    decisions: [...verdict.decisions, ...(queued?.decisions ?? []), ...(next.decision ? [next.decision] : [])].map(origin),
    authority: origin({ stage: "authority", code: authority.authority, why: AUTHORITY[authority.authority], path: authority.path }),
    route: { agent: route.agent, sessionKey, decision: origin(route.decision) },
  };
}

const AUTHORITY = {
  owner: "the sender owns the gateway and may use every command",
  authorised: "the sender may use commands",
  none: "the sender may not use commands",
} as const;

/** What the store says about the sender and the session. */
async function whatIsKnown(message: InboundMessage, sessionKey: string, { store, channels, now }: DryRunDeps) {
  const nothing = { approved: false, settings: {} as SessionSettings, requests: { own: undefined, waiting: 0 } };
  if (store === undefined) return nothing;
  const key = pairingKeyOf(message, { channels });
  return store.read(async (tx) => {
    const live = await livePairings(tx, { ...key, now });
    const session = await findSession(tx, sessionKey);
    return {
      approved: await isApproved(tx, key),
      settings: session ? (JSON.parse(session.settingsJson) as SessionSettings) : nothing.settings, // written by the sessions
      requests: {
        own: live.find(({ sender }) => sender === key.sender),
        waiting: live.filter(({ state }) => state === "pending").length,
      },
    };
  });
}

/** What the queue would make of it: by what runs now, and by how long more of it would be waited for. */
function wouldQueue(message: InboundMessage, sessionKey: string, agent: string, chosen: SessionSettings, deps: DryRunDeps) {
  const { config } = deps.config;
  const channel = deps.channels.get(message.conversation.channel);
  const quiet = decideQuiet(quietAfter(message, config, channel), debouncePath(message, config));
  const running = deps.runningTurn(sessionKey);
  if (running === undefined) return { dropped: false, decisions: quiet };
  const settings = queueSettingsOf(config, agent, chosen.queue);
  const own = takesOwnTurn(message, channel);
  const { decision, dropped } = decideQueue({ settings, own, goesOn: false, behindCommand: running.isCommand });
  return { dropped, decisions: [decision, ...(dropped ? [] : quiet)] };
}

interface Accepted {
  readonly deps: DryRunDeps;
  // oxlint-disable-next-line typescript/no-explicit-any -- any channel's config type
  readonly channel: ChannelPlugin<any>;
  readonly account: AccountConfig;
  readonly agent: string;
  readonly authority: ReturnType<typeof authorityOf>;
}

/** What a turn would do first: a command, or the agent. */
function afterAccept(message: InboundMessage, stops: boolean, { deps, channel, agent, authority }: Accepted) {
  const text = stops ? "/stop" : (channel.mentions?.strip(message.text, message) ?? message.text);
  const call = parseCommand(text, deps.commands);
  if (call) {
    const { allowed, decision } = decideCommand(call.command, authority);
    return { disposition: allowed ? ("command" as const) : ("denied" as const), decision };
  }
  const index = deps.config.config.agents.list.findIndex(({ id }) => id === agent);
  const model = deps.config.config.agents.list[index]?.model.primary ?? "no model";
  const decision = { stage: "agent", code: "asked", why: `${agent} is asked, with ${model}`, path: `agents.list.${index}` };
  return { disposition: "replied" as const, decision };
}
