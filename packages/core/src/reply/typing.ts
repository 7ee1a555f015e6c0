import type { Clock, ConversationRef, Transport } from "@trunkline/plugin-sdk";

/**
 * Shows typing for as long as the lease is held: at once, then again before the platform's own expiry. The returned function ends
 * it; failures do not matter.
 */
export function startTyping(transport: Transport | undefined, conversation: ConversationRef, clock: Clock): () => void {
  const refreshMs = transport?.typingRefreshMs;
  if (!transport?.typing || refreshMs === undefined) return () => {};
  let cancel: () => void = () => {};
  const show = (): void => {
    transport.typing?.(conversation).catch(() => {});
    cancel = clock.timer(refreshMs, show);
  };
  show();
  return () => cancel();
}
