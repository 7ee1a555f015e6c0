import type { InboundMessage } from "./message.ts";

/** Hooks that only watch. They run in parallel and cannot change anything. */
export interface ObserveHooks {
  "gateway:ready": Record<string, never>;
  "gateway:closing": Record<string, never>;
  message_received: { readonly id: string; readonly message: InboundMessage };
  "inbound:dropped": { readonly id: string; readonly disposition: string; readonly why: string };
  "session:reset": { readonly sessionKey: string; readonly why: string };
  "delivery:sent": { readonly part: string; readonly messageId: string };
  "delivery:dead": { readonly part: string; readonly code: string };
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
