import { type ChannelPlugin, type Clock, type GatewayConfig } from "@trunkline/plugin-sdk";
import { BUILT_IN_PROVIDERS } from "../../config/builtin.ts";
import type { GatewayStatus } from "../../control/protocol.ts";
import { probeAccount } from "../../probe/probe-account.ts";
import { probeModel } from "../../probe/probe-model.ts";
import { type Finding, findingOf } from "./finding.ts";

/** How long an account is listened to, ms. A second poller that is thrown out comes back within about three seconds. */
const LISTEN_MS = 4000;

/** Asks one model of every provider that an agent uses: one short call each. */
export async function modelFindings(config: GatewayConfig, clock: Clock): Promise<readonly Finding[]> {
  const used = config.agents.list.flatMap(({ model }) => [model.primary, ...model.fallbacks]);
  const first = new Map<string, string>();
  for (const reference of used) {
    const provider = reference.slice(0, reference.indexOf("/"));
    if (!BUILT_IN_PROVIDERS.includes(provider) && !first.has(provider)) first.set(provider, reference);
  }
  const asked = [...first.values()].map(async (reference) => {
    const error = await probeModel(config, reference, clock);
    return error === undefined ? [] : [findingOf(error, { at: reference })];
  });
  return (await Promise.all(asked)).flat();
}

/** Connects every enabled account, each on its own. Only while no gateway has them. */
export async function accountFindings(
  config: GatewayConfig,
  channels: readonly ChannelPlugin[],
  clock: Clock,
): Promise<readonly Finding[]> {
  const tried = channels
    .filter(({ capabilities }) => capabilities.authenticates !== true)
    .flatMap((channel) => Object.entries(config.channels[channel.id]?.accounts ?? {}).map(([account, own]) => ({ channel, account, own })))
    .filter(({ own }) => own.enabled)
    .map(async ({ channel, account, own }) => {
      const error = await probeAccount({ channel, account, own: own.own, clock, listenMs: LISTEN_MS });
      return error === undefined ? [] : [findingOf(error, { at: `${channel.id}:${account}` })];
    });
  return (await Promise.all(tried)).flat();
}

/** What a running gateway says about its store and its accounts. */
export function statusFindings({ trouble, accounts }: Pick<GatewayStatus, "trouble" | "accounts">): readonly Finding[] {
  const paused = trouble.map(({ code, message, hint }) => ({ code, cause: `channels are paused: ${message}`, fix: hint }));
  const troubled = accounts.flatMap(({ channel, account, state, lastError }) => {
    if (state === "connected" || lastError === null) return [];
    const { code, message, hint } = lastError;
    return [{ code, cause: `${channel}:${account} is ${state}: ${message}`, fix: hint }];
  });
  return [...paused, ...troubled];
}
