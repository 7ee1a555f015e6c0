import type { Clock, ConversationRef, Transport } from "@trunkline/plugin-sdk";
import { howMeant } from "../access/gate.ts";
import type { Rates } from "../delivery/rates.ts";
import { previewText } from "../shaping/preview.ts";
import type { Turn } from "./turn.ts";

/** Shortest time between two looks at an answer of which nothing is visible yet, in ms: it is not parsed per delta. */
const LOOK_EVERY_MS = 100;

export interface TypingDeps {
  readonly clock: Clock;
  readonly rates: Pick<Rates, "admits">;
}

/** The lease on "typing…": it shows from some moment until the turn ends. */
export interface Typing {
  /** The raw answer so far: once something of it is visible, typing shows. Cheap to call per delta. */
  grow(text: string): void;
  /** Ends the lease, whatever became of the turn. */
  end(): void;
}

/**
 * Takes the lease for a turn. Whoever meant the bot sees at once that it is at work; in a group where it was not meant, only when it has
 * something to say: it reads much there to which it stays silent. Repeated before the platform's own expiry; failures do not matter.
 */
export function startTyping(
  turn: Pick<Turn, "message" | "account" | "agent" | "config">,
  transport: Transport | undefined,
  { clock, rates }: TypingDeps,
): Typing {
  const { message, account, agent } = turn;
  const { silentToken } = turn.config.config.messages;
  const lease = createLease(transport, message.conversation, { clock, rates });
  const expected = message.conversation.kind === "direct" || howMeant({ message, account, agentName: agent.identity.name }) !== undefined;
  if (expected) lease.show();
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    grow(text) {
      if (lease.isShown() || clock.monotonic() - lookedAt < LOOK_EVERY_MS) return;
      lookedAt = clock.monotonic();
      if (previewText(text, { silentToken }) !== "") lease.show();
    },
    end: lease.end,
  };
}

function createLease(transport: Transport | undefined, conversation: ConversationRef, { clock, rates }: TypingDeps) {
  const refreshMs = transport?.typingRefreshMs;
  let shown = refreshMs === undefined || transport?.typing === undefined;
  let cancel: () => void = () => {};
  const repeat = (): void => {
    // Async, so that a transport that throws on the spot does not take the turn, or the timer's process, with it.
    const typing = async (): Promise<void> => transport?.typing?.(conversation);
    // Where answers wait for the platform, nobody is told that more is being typed.
    if (rates.admits(conversation)) typing().catch(() => {});
    cancel = clock.timer(refreshMs!, repeat);
  };
  return {
    /** Whether there is nothing left to begin. */
    isShown: () => shown,
    show(): void {
      if (shown) return;
      shown = true;
      repeat();
    },
    end(): void {
      shown = true;
      cancel();
    },
  };
}
