import { type ChannelHost, GatewayError, type OutboundPart, type ReconcileEvidence, type ReconcileResult } from "@trunkline/plugin-sdk";
import { createBackoff } from "../api/backoff.ts";
import type { ChatCall } from "../api/chat-calls.ts";
import { type ApiFailure, readFailure, toDeliveryError } from "../api/errors.ts";
import { placeOf } from "../outbound.ts";
import { type ProbeAnswer, probeForPart, toProbeAnswer } from "./probe.ts";
import type { Sends } from "./sends.ts";

/** How often one id is asked about when the platform cannot be reached. Pauses for rate limits do not count. */
const ATTEMPTS = 5;

/** What a search works with. */
export interface Reconciliation {
  readonly host: ChannelHost;
  readonly token: string;
  readonly call: ChatCall;
  readonly sends: Sends;
  readonly signal: AbortSignal;
}

/**
 * Finds out whether a part with unknown outcome arrived; `probe.ts` says how. Rejects with DELIVERY_RETRY when the platform cannot
 * be asked now, with DELIVERY_REFUSED when it will not say (the bot was removed from the chat).
 */
export async function reconcilePart(work: Reconciliation, part: OutboundPart, evidence: ReconcileEvidence): Promise<ReconcileResult> {
  const { id: chatId, threadId } = part.conversation;
  const recent = await work.host.history(part.conversation, { limit: 5 });
  const result = await probeForPart({
    chatId,
    evidence,
    topics: threadId !== undefined || recent.some(({ inbound }) => inbound?.channelData?.["forum"] === true),
    ask: (messageId) => ask(work, part, messageId),
    async isOther(messageId) {
      // The answer in another topic may be on its way: its receipt decides whose message this is.
      await work.sends.quiet(chatId);
      return work.sends.isKnown(chatId, messageId);
    },
  });
  if (result.outcome === "sent") work.sends.remember(chatId, result.receipt.messageId);
  return result;
}

/** Asks what stands at an id, by an edit to exactly the markup that the part has: none. */
async function ask({ call, token, host, signal }: Reconciliation, part: OutboundPart, messageId: number): Promise<ProbeAnswer> {
  const { chat_id } = placeOf(part.conversation);
  const request = { method: "editMessageReplyMarkup", params: { chat_id, message_id: messageId } };
  const backoff = createBackoff(`${part.id}/${messageId}`);
  for (let left = ATTEMPTS; ;) {
    const failure = await call(part.conversation.id, request, signal).then(
      () => undefined,
      (error: unknown) => readFailure(error, token),
    );
    const answer = toProbeAnswer(failure);
    if (answer !== undefined) return answer;
    const limited = failure?.kind === "refused" && failure.code === 429;
    if (!limited) left -= 1;
    if (signal.aborted || failure === undefined || left === 0 || isFinal(failure)) throw cannotAsk(failure, host.account);
    await host.clock.sleep(Math.max(failure.kind === "refused" ? (failure.retryAfterMs ?? 0) : 0, backoff.next()), signal);
  }
}

/** An answer that would be the same next time. */
function isFinal(failure: ApiFailure): boolean {
  return failure.kind === "refused" && failure.code < 500 && failure.code !== 429;
}

function cannotAsk(failure: ApiFailure | undefined, account: string): GatewayError {
  const error = toDeliveryError(failure ?? { kind: "unsent", reason: "aborted" }, account);
  const permanent = failure !== undefined && isFinal(failure);
  return permanent ? error : new GatewayError("DELIVERY_RETRY", { detail: error.detail, retryable: true });
}
