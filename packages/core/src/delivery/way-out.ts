import type { ChannelPlugin, GatewayConfig, OutboundPart } from "@trunkline/plugin-sdk";
import type { Line } from "./line.ts";

/** Where a part leaves. */
export type WayOut =
  | { readonly way: "open"; readonly line: Line }
  /** The account that has to send it is not up: the part waits for it. */
  | { readonly way: "down"; readonly account: string }
  /** Its account is somebody else on the platform now, and no other account is who it was. */
  | { readonly way: "gone" };

export interface WayOutContext {
  readonly config: Pick<GatewayConfig, "channels">;
  // Any channel's config type: only the channel itself looks inside.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly channels: ReadonlyMap<string, Pick<ChannelPlugin<any>, "identity">>;
  readonly lineOf: (channel: string, account: string) => Line | undefined;
}

/**
 * The way of a part. An account is a name that an operator may give to another bot, and the answer to a message has to come from the
 * bot that got it: through its account, through the account that is this bot now, or not at all. Never through another bot.
 */
export function wayOut({ conversation, sendAs }: Pick<OutboundPart, "conversation" | "sendAs">, context: WayOutContext): WayOut {
  const { channel, account } = conversation;
  const own = context.lineOf(channel, account);
  if (own && (sendAs === undefined || own.identity === sendAs)) return { way: "open", line: own };
  if (sendAs === undefined) return { way: "down", account };
  const accounts = context.config.channels[channel]?.accounts ?? {};
  const identityOf = (name: string): string | undefined => {
    const config = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
    return config && context.channels.get(channel)?.identity?.(config.own);
  };
  const heir = [account, ...Object.keys(accounts)].find((name) => identityOf(name) === sendAs);
  // An account that was taken out of the configuration keeps what it has to send until it is back.
  if (heir === undefined) return Object.hasOwn(accounts, account) ? { way: "gone" } : { way: "down", account };
  const line = context.lineOf(channel, heir);
  // The configuration is ahead of the connections for a moment: the account is not who it will be yet.
  return line?.identity === sendAs ? { way: "open", line } : { way: "down", account: heir };
}
