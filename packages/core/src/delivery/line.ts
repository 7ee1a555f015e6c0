import type { AccountConfig, ChannelCapabilities, Transport } from "@trunkline/plugin-sdk";

/** The way to a platform: a running transport with what its channel can do and what its account wants. */
export interface Line {
  readonly transport: Transport;
  readonly capabilities: Pick<ChannelCapabilities, "delivery">;
  readonly onAmbiguous: AccountConfig["onAmbiguous"];
}
