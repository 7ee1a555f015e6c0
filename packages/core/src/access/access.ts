import type { AccountConfig, ChannelPlugin, Decision, GatewayConfig, InboundMessage } from "@trunkline/plugin-sdk";
import { groupConfigOf } from "./group.ts";

/** Whether a sender may talk to the agent here, and the line that says so. */
export interface AccessVerdict {
  readonly allowed: boolean;
  /** A stranger who may ask to be let in: the account pairs. Never together with `allowed`. */
  readonly mayPair?: true;
  readonly decision: Decision;
}

export interface AccessInput {
  readonly message: InboundMessage;
  readonly account: AccountConfig;
  readonly channel: Pick<ChannelPlugin, "access" | "capabilities">;
  readonly config: Pick<GatewayConfig, "owners" | "commands">;
  /** An operator approved the sender on this account. Counts in direct messages, and only while the account pairs. */
  readonly approved: boolean;
}

/** Decides message access: deny unless a rule allows. Pure. */
export function decideAccess(input: AccessInput): AccessVerdict {
  const { message, channel } = input;
  if (channel.capabilities.authenticates && message.sender.trust !== undefined) {
    return verdict(true, "authenticated", `the channel signed the sender in as ${message.sender.trust}`, accountPath(message));
  }
  return message.conversation.kind === "direct" ? decideDirect(input) : decideGroup(input);
}

/** The config path of the message's account. */
export function accountPath(message: InboundMessage): string {
  return `channels.${message.conversation.channel}.accounts.${message.conversation.account}`;
}

/** Whether the sender is one of the gateway's owners. */
export function isOwner({ message, channel, config }: Pick<AccessInput, "message" | "channel" | "config">): boolean {
  const signedIn = channel.capabilities.authenticates === true && message.sender.trust === "owner";
  return signedIn || isNamed(config.owners, message, channel);
}

/** Whether a list of `channel:account:id` entries names the sender. */
export function isNamed(entries: readonly string[], message: InboundMessage, channel: Pick<ChannelPlugin, "access">): boolean {
  const { conversation, sender } = message;
  const prefix = `${conversation.channel}:${conversation.account}:`;
  return entries.some((entry) => entry.startsWith(prefix) && isListed([entry.slice(prefix.length)], sender.id, channel));
}

/** Whether a list of sender ids holds this one, in the channel's canonical form. `*` is no id and matches nothing here. */
export function isListed(entries: readonly string[], senderId: string, channel: Pick<ChannelPlugin, "access">): boolean {
  const canonical = (id: string): string => channel.access?.normalizeId(id) ?? id;
  const sender = canonical(senderId);
  return entries.some((entry) => entry !== "*" && canonical(entry) === sender);
}

function decideDirect(input: AccessInput): AccessVerdict {
  const { message, account, channel } = input;
  const path = accountPath(message);
  if (account.dmPolicy === "disabled") return verdict(false, "dm-disabled", "direct messages are switched off", `${path}.dmPolicy`);
  if (isOwner(input)) return verdict(true, "owner", "the sender is an owner", "owners");
  if (isListed(account.allowFrom, message.sender.id, channel))
    return verdict(true, "listed", "the sender is on the allow list", `${path}.allowFrom`);
  if (isPaired(input)) return verdict(true, "paired", "an operator approved the sender on this account", `${path}.dmPolicy`);
  if (account.dmPolicy === "open") return verdict(true, "open", "anyone may write here", `${path}.dmPolicy`);
  if (account.dmPolicy === "pairing") {
    const why = "the sender is on no list, and nobody has approved them yet";
    return { ...verdict(false, "unknown-sender", why, `${path}.dmPolicy`), mayPair: true };
  }
  return verdict(
    false,
    "not-listed",
    `the sender is not on the allow list; add "${message.sender.id}" to allowFrom to let them in`,
    account.allowFrom.length > 0 ? `${path}.allowFrom` : `${path}.dmPolicy`,
  );
}

/** Approval belongs to pairing: after a change to another policy, the entries wait in the store and let nobody in. */
export function isPaired({ message, account, approved }: Pick<AccessInput, "message" | "account" | "approved">): boolean {
  return approved && account.dmPolicy === "pairing" && message.conversation.kind === "direct";
}

function decideGroup(input: AccessInput): AccessVerdict {
  const { message, account, channel } = input;
  const path = accountPath(message);
  const group = groupConfigOf(account, message.conversation);
  if (account.groupPolicy === "disabled") return verdict(false, "groups-disabled", "groups are switched off", `${path}.groupPolicy`);
  if (account.groupPolicy === "allowlist" && group === undefined) {
    return verdict(
      false,
      "group-not-listed",
      `the group is not listed; add "${message.conversation.id}" to groups to let it in`,
      Object.keys(account.groups).length > 0 ? `${path}.groups` : `${path}.groupPolicy`,
    );
  }
  const allowFrom = group?.config.allowFrom;
  if (allowFrom !== undefined && !allowFrom.includes("*") && !isListed(allowFrom, message.sender.id, channel) && !isOwner(input)) {
    const why = `the sender is not on the group's allow list; add "${message.sender.id}" to it to let them in`;
    return verdict(false, "sender-not-listed", why, `${path}.groups.${group!.keyOf("allowFrom")}.allowFrom`);
  }
  return group === undefined
    ? verdict(true, "open", "any group may write here", `${path}.groupPolicy`)
    : verdict(true, "group-listed", "the group is listed", `${path}.groups.${group.key}`);
}

function verdict(allowed: boolean, code: string, why: string, path: string): AccessVerdict {
  return { allowed, decision: { stage: "access", code, why, path } };
}
