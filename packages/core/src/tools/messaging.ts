import type { ChannelPlugin } from "@trunkline/plugin-sdk";

/** Channels by their id; what is asked of them here is whether they have actions. */
export type MessagingChannels = ReadonlyMap<string, Pick<ChannelPlugin, "actions">>;

/** Where a tool call sends to, as far as its arguments say. What they leave open is where the turn itself is. */
export interface MessagingToolSend {
  readonly tool: string;
  /** Id of the channel. */
  readonly provider?: string;
  readonly accountId?: string;
  readonly to?: string;
  readonly threadId?: string;
  /** Body text, "" with media alone. */
  readonly text: string;
  readonly mediaUrls: readonly string[];
}

/** Name of the tool that sends to any channel. */
export const MESSAGE_TOOL = "message";
/** Name of the tool that speaks into another session. */
export const SESSIONS_SEND_TOOL = "sessions_send";

/** Actions of the `message` tool that put a message into a conversation. */
const SENDS: readonly unknown[] = ["send", "thread-reply"];
const NO_CHANNELS: MessagingChannels = new Map();

/** Whether a tool can send messages: `message`, `sessions_send`, or one that is called like a channel with actions. */
export function isMessagingTool(name: string, channels: MessagingChannels = NO_CHANNELS): boolean {
  const key = nameOf(name);
  return key === MESSAGE_TOOL || key === SESSIONS_SEND_TOOL || channels.get(key)?.actions !== undefined;
}

/** Whether this call of a tool sends a message. Never throws, whatever the arguments. */
export function isMessagingToolSendAction(name: string, args: unknown, channels: MessagingChannels = NO_CHANNELS): boolean {
  const key = nameOf(name);
  if (key === SESSIONS_SEND_TOOL) return true;
  if (key === MESSAGE_TOOL) return SENDS.includes(wordOf(recordOf(args)["action"]));
  return channels.get(key)?.actions?.extractToolSend({ args })?.to !== undefined;
}

/**
 * What a tool call sends, and where to; undefined when it sends nothing. The target is the one that the channel itself makes of the
 * arguments, whatever they call it. Never throws.
 */
export function extractMessagingToolSend(
  name: string,
  args: unknown,
  channels: MessagingChannels = NO_CHANNELS,
): MessagingToolSend | undefined {
  if (!isMessagingToolSendAction(name, args, channels)) return undefined;
  const key = nameOf(name);
  const values = recordOf(args);
  const provider = key === MESSAGE_TOOL ? (wordOf(values["provider"]) ?? wordOf(values["channel"])) : channels.has(key) ? key : undefined;
  const target = targetOf(values, provider?.toLowerCase(), channels);
  const accountId = wordOf(values["accountId"]) ?? wordOf(values["account"]);
  return {
    tool: key,
    ...(provider === undefined ? {} : { provider: provider.toLowerCase() }),
    ...(accountId === undefined ? {} : { accountId }),
    ...target,
    text: textOf(values["content"]) ?? textOf(values["message"]) ?? textOf(values["text"]) ?? "",
    mediaUrls: mediaOf(values),
  };
}

/** Whether a tool's result says that it failed: JSON with an error, `ok: false`, or a status that says so. */
export function isToolResultError(text: string): boolean {
  const begun = text.trimStart();
  if (!begun.startsWith("{")) return false;
  try {
    const result = recordOf(JSON.parse(begun));
    const status = wordOf(result["status"])?.toLowerCase();
    if (result["ok"] === false || result["success"] === false || result["isError"] === true) return true;
    if (status !== undefined && ["error", "failed", "failure", "timeout", "forbidden", "denied"].includes(status)) return true;
    return result["error"] !== undefined && result["error"] !== null && result["error"] !== false && result["error"] !== "";
  } catch {
    return false;
  }
}

function targetOf(values: Readonly<Record<string, unknown>>, provider: string | undefined, channels: MessagingChannels) {
  const resolved = provider === undefined ? undefined : channels.get(provider)?.actions?.extractToolSend({ args: values });
  if (resolved !== undefined) return resolved;
  const to = wordOf(values["to"]) ?? wordOf(values["target"]);
  const threadId = wordOf(values["threadId"]);
  return { ...(to === undefined ? {} : { to }), ...(threadId === undefined ? {} : { threadId }) };
}

function mediaOf(values: Readonly<Record<string, unknown>>): readonly string[] {
  const listed = Array.isArray(values["mediaUrls"]) ? values["mediaUrls"] : [];
  const all = [...listed, values["mediaUrl"], values["media"], values["path"]].flatMap((value) => wordOf(value) ?? []);
  return [...new Set(all)];
}

function nameOf(name: string): string {
  return name.trim().toLowerCase();
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A text without white space around it, or an id that a model wrote as a number. */
function wordOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isSafeInteger(value)) return String(value);
  return textOf(value)?.trim();
}
