import type { Clock, ConversationRef, Transport } from "@trunkline/plugin-sdk";
import type { Rates } from "../delivery/rates.ts";

/**
 * Shows typing for as long as the lease is held: at once, then again before the platform's own expiry. The returned function ends
 * it; failures do not matter.
 */
export function startTyping(
  transport: Transport | undefined,
  conversation: ConversationRef,
  { clock, rates }: { readonly clock: Clock; readonly rates: Pick<Rates, "admits"> },
): () => void {
  const refreshMs = transport?.typingRefreshMs;
  if (!transport?.typing || refreshMs === undefined) return () => {};
  let cancel: () => void = () => {};
  const show = (): void => {
    // Async, so that a transport that throws on the spot does not take the turn, or the timer's process, with it.
    const typing = async (): Promise<void> => transport.typing?.(conversation);
    // Where answers wait for the platform, nobody is told that more is being typed.
    if (rates.admits(conversation, "shown")) typing().catch(() => {});
    cancel = clock.timer(refreshMs, show);
  };
  show();
  return () => cancel();
}
