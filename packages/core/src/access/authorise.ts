import type { CommandDefinition, Decision } from "@trunkline/plugin-sdk";
import { accountPath, isListed, isNamed, isOwner, isPaired, type AccessInput } from "./access.ts";
import { groupConfigOf } from "./group.ts";

/** What a sender may do beyond talking. */
export type Authority = "owner" | "authorised" | "none";

/**
 * Command authority, apart from message access and denied by default: owners, `commands.allowFrom`, people that the channel signed
 * in, in a direct conversation those who are listed or paired, in a group those on the group's own list. Pure.
 */
export function authorityOf(input: AccessInput): { readonly authority: Authority; readonly path: string } {
  const { message, account, channel, config } = input;
  const path = accountPath(message);
  if (isOwner(input)) return { authority: "owner", path: "owners" };
  if (channel.capabilities.authenticates && message.sender.trust === "authorised") return { authority: "authorised", path };
  if (isNamed(config.commands.allowFrom, message, channel)) return { authority: "authorised", path: "commands.allowFrom" };
  if (isPaired(input)) return { authority: "authorised", path: `${path}.dmPolicy` };
  if (message.conversation.kind === "direct") {
    return { authority: isListed(account.allowFrom, message.sender.id, channel) ? "authorised" : "none", path: `${path}.allowFrom` };
  }
  const group = groupConfigOf(account, message.conversation);
  const listed = isListed(group?.config.allowFrom ?? [], message.sender.id, channel);
  return {
    authority: listed ? "authorised" : "none",
    path: group === undefined ? `${path}.groupPolicy` : `${path}.groups.${group.keyOf("allowFrom")}.allowFrom`,
  };
}

/** Whether a sender with this authority may use a command, and the line that says so. Pure. */
export function decideCommand(
  command: Pick<CommandDefinition, "name" | "access">,
  { authority, path }: ReturnType<typeof authorityOf>,
): { readonly allowed: boolean; readonly decision: Decision } {
  const allowed = authority === "owner" || (authority === "authorised" && command.access === "authorised");
  return {
    allowed,
    decision: allowed
      ? { stage: "command", code: command.name, why: `/${command.name} answers`, path }
      : { stage: "command", code: "unauthorised", why: `the sender may not use /${command.name}`, path },
  };
}
