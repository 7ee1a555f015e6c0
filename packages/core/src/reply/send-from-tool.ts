import { conversationKey, type ConversationRef, GatewayError, type GatewayConfig } from "@trunkline/plugin-sdk";
import type { Deps } from "../deps.ts";
import type { SendFromTool } from "../journal/agent-journal.ts";
import { MESSAGE_TOOL } from "../tools/messaging.ts";
import type { ReplyDispatcher } from "./dispatcher.ts";
import type { Preview } from "./preview.ts";
import { targetOfSend } from "./tool-sends.ts";
import type { TurnOutbox } from "./turn-outbox.ts";
import type { Turn } from "./turn.ts";

/**
 * Creates the way by which tools of a turn send: through shaping, the last guard and the outbox, in order with the turn's own replies, and
 * in one transaction with the end of the call.
 */
export function createSendFromTool(
  turn: Turn,
  { dispatcher, outbox, preview }: { readonly dispatcher: ReplyDispatcher; readonly outbox: TurnOutbox; readonly preview: Preview },
  deps: Pick<Deps, "channels">,
): SendFromTool {
  const home = turn.message.conversation;
  return async ({ channel, account, to, threadId, replyToId, text, mediaUrls }, alongside) => {
    const asked = {
      tool: MESSAGE_TOOL,
      ...(channel === undefined ? {} : { provider: channel }),
      ...(account === undefined ? {} : { accountId: account }),
      ...(to === undefined ? {} : { to }),
      ...(threadId === undefined ? {} : { threadId }),
    };
    const target = targetOfSend(asked, home, deps.channels);
    if (!target || !mayWriteTo(target, turn, deps)) {
      throw new GatewayError("TOOL_TARGET_REFUSED", { detail: { target: [channel ?? home.channel, to ?? ""].join(":").slice(0, 100) } });
    }
    const payload = {
      text: text ?? "",
      ...(mediaUrls === undefined ? {} : { mediaUrls }),
      ...(replyToId === undefined ? {} : { replyToId }),
    };
    return dispatcher.inOrder(async () => {
      const { rows } = await outbox.compose(payload, "tool", target);
      if (rows.length === 0) return false;
      const here = conversationKey(target) === conversationKey(home);
      await outbox.commit(here ? await preview.resolve(rows, "aside") : rows, alongside);
      return true;
    });
  };
}

/**
 * Whether the agent may write to a conversation: its own chat; for people who may use commands, a listed group, a person on the allow list,
 * or an owner too. A stranger in an open chat cannot have it write to others.
 */
function mayWriteTo(target: ConversationRef, turn: Turn, { channels }: Pick<Deps, "channels">): boolean {
  const { config } = turn.config;
  const home = turn.message.conversation;
  const account = config.channels[target.channel]?.accounts[target.account];
  if (!account?.enabled || !channels.has(target.channel)) return false;
  if (target.channel === home.channel && target.account === home.account && target.id === home.id) return true;
  if (turn.authority === "none") return false;
  if (target.kind !== "direct") return account.groupPolicy !== "disabled" && Object.hasOwn(account.groups, target.id);
  return account.dmPolicy !== "disabled" && (account.allowFrom.includes(target.id) || isOwner(target, config));
}

function isOwner({ channel, account, id }: ConversationRef, { owners }: Pick<GatewayConfig, "owners">): boolean {
  return owners.includes(`${channel}:${account}:${id}`);
}
