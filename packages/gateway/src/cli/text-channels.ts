import { plainProfile } from "@trunkline/core";
import { GatewayError, type RenderProfile } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { registerChannels } from "../channels.ts";

/** A channel as far as text goes. */
export interface TextChannel {
  readonly id: string;
  readonly label: string;
  readonly profile: RenderProfile;
}

/** Every channel that text can be shown on as it is without configuration, and plain text. */
export async function textChannels(): Promise<readonly TextChannel[]> {
  const channels = await registerChannels(createContainer());
  const shown = channels.map(({ id, label, render }) => ({ id, label, profile: render({}) }));
  return [...shown, { id: "plain", label: "Plain text", profile: plainProfile }];
}

/** One of them by its id. Throws CHANNEL_UNKNOWN with those that there are. */
export async function textChannel(id: string): Promise<TextChannel> {
  const channels = await textChannels();
  const found = channels.find((channel) => channel.id === id);
  if (found !== undefined) return found;
  throw new GatewayError("CHANNEL_UNKNOWN", { detail: { channel: id }, hint: `Use one of: ${channels.map((one) => one.id).join(", ")}.` });
}
