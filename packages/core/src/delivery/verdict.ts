import type { ErrorCode, GatewayError, OutboundPart } from "@trunkline/plugin-sdk";
import { REFUSED_MEDIA_TEXT } from "../shaping/shape.ts";

/** What a failed send means for its part. */
export type SendVerdict =
  /** Surely not sent; try the same again. */
  | { readonly action: "retry" }
  /** Nobody knows; find out before anything else in the conversation. */
  | { readonly action: "reconcile" }
  /** Surely not sent; try at once with this body. */
  | { readonly action: "reformat"; readonly part: OutboundPart }
  /** The account cannot send; its parts wait until it is back. */
  | { readonly action: "park" }
  /** Permanent. */
  | { readonly action: "bury" };

type Reform = (part: OutboundPart) => OutboundPart | undefined;

/** Bodies to try instead, by error; undefined when the part has nothing to drop, which makes the error permanent. */
const REFORM: Partial<Record<ErrorCode, Reform>> = {
  DELIVERY_MARKUP_REFUSED: (part) => asPlain(part),
  DELIVERY_TOO_LONG: (part) => asPlain(part),
  DELIVERY_REPLY_GONE: ({ replyToId, ...part }) => (replyToId === undefined ? undefined : part),
  DELIVERY_THREAD_GONE: (part) => withoutThread(part),
  DELIVERY_MEDIA_REFUSED: (part) => withoutMedia(part),
};

const RETRY: readonly ErrorCode[] = ["DELIVERY_RETRY", "CHANNEL_UNREACHABLE", "CHANNEL_FAILED", "STORE_FAILED"];

/** The error table of the worker: what a channel's own table mapped its platform's errors to. Pure. */
export function judgeSendError(error: GatewayError, part: OutboundPart): SendVerdict {
  if (error.code === "CHANNEL_TOKEN_REJECTED") return { action: "park" };
  if (error.code === "DELIVERY_OUTCOME_UNKNOWN" || error.code === "GATEWAY_BUG") return { action: "reconcile" };
  if (RETRY.includes(error.code)) return { action: "retry" };
  const reformed = REFORM[error.code]?.(part);
  return reformed === undefined ? { action: "bury" } : { action: "reformat", part: reformed };
}

/** The part as plain text; undefined when it is plain already. */
function asPlain(part: OutboundPart): OutboundPart | undefined {
  const { text } = part;
  if (text === undefined || (text.text === text.plain && text.entities === undefined && text.blocks === undefined)) return undefined;
  return { ...part, text: { text: text.plain, plain: text.plain, length: text.plain.length } };
}

/** The words of a part whose file cannot be sent; the file's place is marked where there are none. */
function withoutMedia({ media, ...part }: OutboundPart): OutboundPart | undefined {
  if (media === undefined) return undefined;
  const marked = { text: REFUSED_MEDIA_TEXT, plain: REFUSED_MEDIA_TEXT, length: REFUSED_MEDIA_TEXT.length };
  return { ...part, text: part.text ?? marked };
}

function withoutThread(part: OutboundPart): OutboundPart | undefined {
  const { threadId, ...conversation } = part.conversation;
  return threadId === undefined ? undefined : { ...part, conversation };
}
