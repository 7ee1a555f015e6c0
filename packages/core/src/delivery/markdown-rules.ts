import type { AccountConfig, ConversationRef, MarkdownConfig } from "@trunkline/plugin-sdk";
import { groupConfigOf } from "../access/group.ts";
import type { RenderOptions } from "../markdown/render-parts.ts";

/** How text is fitted in a conversation: as its topic says, else its group, else the account, which has what the channel and the file say. */
export function renderOptionsOf(account: Pick<AccountConfig, "groups" | "markdown">, conversation: ConversationRef): RenderOptions {
  const group = conversation.kind === "direct" ? undefined : groupConfigOf(account, conversation)?.config.markdown;
  const { tables, chunkMode }: MarkdownConfig = { ...account.markdown, ...group };
  return { ...(tables === undefined ? {} : { tableMode: tables }), ...(chunkMode === undefined ? {} : { chunkMode }) };
}
