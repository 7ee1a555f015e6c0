import type { InboundMessage } from "@trunkline/plugin-sdk";
import { createFakeChannel } from "../fake-channel.ts";
import { fakeConfig } from "../fake-config.ts";
import type { InboundInput } from "./decide.ts";

/** What is known when a message is decided on: it is new, no turn runs, nobody was approved and no command chose anything. For tests only. */
export function fakeInbound(message: InboundMessage, over: Partial<InboundInput> = {}): InboundInput {
  const { config = fakeConfig() } = over;
  return {
    message,
    config,
    account: config.channels["fake"]!.accounts["main"]!,
    channel: createFakeChannel().plugin,
    now: message.sentAt,
    runningTurn: () => undefined,
    approved: false,
    activation: undefined,
    ...over,
  };
}
