import type { ErrorCode, GatewayError, OutboundPart } from "@trunkline/plugin-sdk";
import { REFUSED_MEDIA_TEXT } from "../shaping/shape.ts";
import type { OutboxRow } from "../store/outbox.ts";
import { splitPart } from "./split-part.ts";

/** What a failed platform call means for its part. */
export type SendVerdict =
  /** Surely not shown; try the same again, after the platform's own wait where it names one. */
  | { readonly action: "retry" }
  /** Nobody knows; find out before anything else in the conversation. */
  | { readonly action: "reconcile" }
  /** Surely not shown; try at once with this body. */
  | { readonly action: "reformat"; readonly part: OutboundPart }
  /** Surely not shown; these take its place. */
  | { readonly action: "split"; readonly parts: readonly [OutboundPart, OutboundPart] }
  /** The account cannot send; its parts wait until it is back. */
  | { readonly action: "park" }
  /** Permanent. */
  | { readonly action: "bury" };

type DeliveryCode = Extract<ErrorCode, `DELIVERY_${string}`>;
type Judge = (part: OutboundPart, op: OutboxRow["op"]) => SendVerdict;

const bury: Judge = () => ({ action: "bury" });
const retry: Judge = () => ({ action: "retry" });
/** An edit or a deletion that is repeated changes nothing, so it needs no look. */
const reconcile: Judge = (_part, op) => ({ action: op === "send" ? "reconcile" : "retry" });

/** Another body at once; a part that has nothing to drop is given up. */
const reformed =
  (reform: (part: OutboundPart) => OutboundPart | undefined): Judge =>
  (part) => {
    const other = reform(part);
    return other === undefined ? { action: "bury" } : { action: "reformat", part: other };
  };

/** The table of deliveries: each channel maps its platform's errors to these codes, and each code has one meaning. */
const TABLE: Readonly<Record<DeliveryCode, Judge>> = {
  DELIVERY_RETRY: retry,
  DELIVERY_REFUSED: bury,
  DELIVERY_NO_ACCESS: bury,
  DELIVERY_POISON: bury,
  DELIVERY_SENDER_GONE: bury,
  DELIVERY_PART_UNKNOWN: bury,
  DELIVERY_EDIT_GONE: reformed(({ replaces, ...part }) => (replaces === undefined ? undefined : part)),
  DELIVERY_MARKUP_REFUSED: reformed(asPlain),
  DELIVERY_TOO_LONG: (part, op) => {
    const parts = splitPart(part);
    // What is too short to be cut may still be long by its markup.
    return parts === undefined ? reformed(asPlain)(part, op) : { action: "split", parts };
  },
  DELIVERY_REPLY_GONE: reformed(({ replyToId, ...part }) => (replyToId === undefined ? undefined : part)),
  DELIVERY_THREAD_GONE: reformed(withoutThread),
  DELIVERY_MEDIA_REFUSED: reformed(withoutMedia),
  DELIVERY_OUTCOME_UNKNOWN: reconcile,
};

/** Codes of other families that a call can end with. */
const OTHERS: Partial<Record<ErrorCode, Judge>> = {
  CHANNEL_TOKEN_REJECTED: () => ({ action: "park" }),
  CHANNEL_UNREACHABLE: retry,
  CHANNEL_FAILED: retry,
  STORE_FAILED: retry,
  GATEWAY_BUG: reconcile,
};

/** What an error means for a part. Pure. */
export function judgeSendError(error: GatewayError, part: OutboundPart, op: OutboxRow["op"] = "send"): SendVerdict {
  const judge: Judge = (TABLE as Partial<Record<ErrorCode, Judge>>)[error.code] ?? OTHERS[error.code] ?? bury;
  return judge(part, op);
}

/** The part as plain text; undefined when it is plain already. */
function asPlain(part: OutboundPart): OutboundPart | undefined {
  const { text } = part;
  const isPlain = text?.text === text?.plain && text?.entities === undefined && text?.blocks === undefined && text?.markup === undefined;
  if (text === undefined || isPlain) return undefined;
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
