import type { InboundMessage } from "./message.ts";
import type { AccountState } from "./channel.ts";

/** Hooks that only watch. They run in parallel and cannot change anything. */
export interface ObserveHooks {
  "gateway:ready": Record<string, never>;
  "gateway:closing": Record<string, never>;
  /** An account is connected, for the first time or again. */
  "channel:ready": { readonly channel: string; readonly account: string };
  /** An account has trouble, or another than before. */
  "channel:error": { readonly channel: string; readonly account: string; readonly state: AccountState; readonly code: string };
  message_received: { readonly id: string; readonly message: InboundMessage };
  "inbound:dropped": { readonly id: string; readonly disposition: string; readonly why: string };
  /** A turn leaves the queue, for the first time or again after a crash. `id` is the message's, `receivedAt` when it was accepted, ms UTC. */
  "turn:started": { readonly id: string; readonly turn: string; readonly receivedAt: number };
  /** The person sees the first words of an answer that still grows. Where there is no preview, the first part is what is seen. */
  "turn:visible": { readonly turn: string };
  /** A turn is over and its outcome stored; its answer is delivered or will be. `parts` is how many its last transaction added. */
  "turn:ended": { readonly id: string; readonly turn: string; readonly disposition: string; readonly parts: number };
  "session:reset": { readonly sessionKey: string; readonly why: string };
  /** `turn` is null for what answers no turn. */
  "delivery:sent": { readonly part: string; readonly turn: string | null; readonly messageId: string };
  "delivery:dead": { readonly part: string; readonly turn: string | null; readonly code: string };
}

/** Hooks that change a value or drop it (null), in order of registration. One that throws or takes over 2 s drops it. */
export interface FilterHooks {
  "inbound:before": InboundMessage;
}

/** The gateway's hooks. Registrations are undone by the function that they return. */
export interface Hooks {
  observe<Name extends keyof ObserveHooks>(name: Name, observer: (event: ObserveHooks[Name]) => void | Promise<void>): () => void;
  filter<Name extends keyof FilterHooks>(
    name: Name,
    filter: (value: FilterHooks[Name]) => FilterHooks[Name] | null | Promise<FilterHooks[Name] | null>,
  ): () => void;
  emit<Name extends keyof ObserveHooks>(name: Name, event: ObserveHooks[Name]): void;
  apply<Name extends keyof FilterHooks>(name: Name, value: FilterHooks[Name]): Promise<FilterHooks[Name] | null>;
}
