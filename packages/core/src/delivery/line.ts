import type { AccountConfig, ChannelCapabilities, OutboundPart, Transport } from "@trunkline/plugin-sdk";
import type { RatePlace } from "./rates.ts";

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

/** What limits a part on its line: the account that sends it, which may have another name than the one that it was written to. */
export function ratePlaceOf({ conversation }: Pick<OutboundPart, "conversation">, { account }: Pick<Line, "account">): RatePlace {
  return { ...conversation, account };
}
