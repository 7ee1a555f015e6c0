import type { ChannelPlugin, ConversationRef, ModelToolCall, ToolResult } from "@trunkline/plugin-sdk";
import { extractMessagingToolSend, isToolResultError, type MessagingToolSend, SESSIONS_SEND_TOOL } from "../tools/messaging.ts";

/** Texts of a turn that are remembered. */
const KEPT = 200;

// Any channel's config type: only the channel itself looks inside.
// oxlint-disable-next-line typescript/no-explicit-any
type Channels = ReadonlyMap<string, Pick<ChannelPlugin<any>, "actions" | "conversation">>;

interface Sent {
  readonly text: string;
  readonly target: ConversationRef | undefined;
}

/**
 * What tools of a turn send, in two phases: staged when a call starts, counted when it succeeded, dropped when it failed. A turn that is
 * started again replays its calls with their results, and so knows what was sent before.
 */
export class ToolSends {
  readonly #visible: (text: string) => string;
  readonly #home: ConversationRef;
  readonly #channels: Channels;
  readonly #staged = new Map<ModelToolCall, Sent>();
  #sent: Sent[] = [];

  /** `visible`: what people get to see of a text that a tool sends. */
  constructor(home: ConversationRef, channels: Channels, visible: (text: string) => string) {
    this.#visible = visible;
    this.#home = home;
    this.#channels = channels;
  }

  /** A tool is about to run. */
  stage(call: ModelToolCall): void {
    const send = extractMessagingToolSend(call.name, parsed(call.args), this.#channels);
    if (send)
      this.#staged.set(call, {
        text: this.#visible(send.text),
        target: targetOfSend(send, this.#home, this.#channels),
      });
  }

  /** It came to an end; undefined when it was cut short. */
  settle(call: ModelToolCall, result: ToolResult | undefined): void {
    const sent = this.#staged.get(call);
    this.#staged.delete(call);
    if (!sent || !result || result.isError || isToolResultError(result.text)) return;
    this.#sent = [...this.#sent, sent].slice(-KEPT);
  }

  /** The texts that are known to be in the turn's own conversation and thread. */
  here(): readonly string[] {
    return this.#sent.filter(({ text, target }) => text.trim() !== "" && target && isSame(target, this.#home)).map(({ text }) => text);
  }
}

/** The conversation that a call sends to; undefined when that cannot be said. What the arguments leave open is as it is at home. */
export function targetOfSend(
  send: Omit<MessagingToolSend, "text" | "mediaUrls">,
  home: ConversationRef,
  channels: Channels,
): ConversationRef | undefined {
  if (send.tool === SESSIONS_SEND_TOOL) return undefined;
  const channel = send.provider ?? home.channel;
  const account = send.accountId ?? (channel === home.channel ? home.account : undefined);
  if (account === undefined) return undefined;
  const atHome = channel === home.channel && account === home.account;
  if (send.to === undefined) {
    if (!atHome) return undefined;
    const threadId = send.threadId ?? home.threadId;
    return withThread(home, threadId);
  }
  const resolved = channels.get(channel)?.conversation.normalizeTarget(send.to);
  if (!resolved?.ok) return undefined;
  const threadId = send.threadId ?? resolved.id.threadId;
  if (atHome && resolved.id.id === home.id) return withThread(home, threadId);
  return withThread({ channel, account, kind: resolved.id.kind, id: resolved.id.id }, threadId);
}

function withThread({ threadId: _other, ...chat }: ConversationRef, threadId: string | undefined): ConversationRef {
  return threadId === undefined ? chat : { ...chat, threadId };
}

function isSame(left: ConversationRef, right: ConversationRef): boolean {
  return (
    left.channel === right.channel &&
    left.account === right.account &&
    left.id === right.id &&
    (left.threadId ?? "") === (right.threadId ?? "")
  );
}

function parsed(args: string): unknown {
  try {
    return args.trim() === "" ? {} : JSON.parse(args);
  } catch {
    return undefined;
  }
}
