import { accountPath, isListed, isNamed, isOwner, type AccessInput } from "./access.ts";
import { groupConfigOf } from "./group.ts";

/** What a sender may do beyond talking. */
export type Authority = "owner" | "authorised" | "none";

/**
 * Command authority, apart from message access and denied by default: owners, `commands.allowFrom`, people that the channel signed
 * in, in a direct conversation those on the allow list, in a group those on the group's own list. Pure.
 */
export function authorityOf(input: AccessInput): { readonly authority: Authority; readonly path: string } {
  const { message, account, channel, config } = input;
  const path = accountPath(message);
  if (isOwner(input)) return { authority: "owner", path: "owners" };
  if (channel.capabilities.authenticates && message.sender.trust === "authorised") return { authority: "authorised", path };
  if (isNamed(config.commands.allowFrom, message, channel)) return { authority: "authorised", path: "commands.allowFrom" };
  if (message.conversation.kind === "direct") {
    return { authority: isListed(account.allowFrom, message.sender.id, channel) ? "authorised" : "none", path: `${path}.allowFrom` };
  }
  const group = groupConfigOf(account, message.conversation.id);
  const listed = isListed(group?.config.allowFrom ?? [], message.sender.id, channel);
  return {
    authority: listed ? "authorised" : "none",
    path: group === undefined ? `${path}.groupPolicy` : `${path}.groups.${group.key}.allowFrom`,
  };
}
