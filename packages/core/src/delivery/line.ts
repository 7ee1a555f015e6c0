import type { AccountConfig, ChannelCapabilities, Transport } from "@trunkline/plugin-sdk";

/** The way to a platform: a running transport with what its channel can do and what its account wants. */
export interface Line {
  /** Name of the account. */
  readonly account: string;
  /** Who it is on the platform, where the configuration tells. */
  readonly identity: string | undefined;
  readonly transport: Transport;
  readonly capabilities: Pick<ChannelCapabilities, "delivery">;
  readonly onAmbiguous: AccountConfig["onAmbiguous"];
}
