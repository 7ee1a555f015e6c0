import { CHANNELS, type ChannelPlugin, describeError, GatewayError, type Plugin } from "@trunkline/plugin-sdk";
import type { Container } from "@trunkline/plugin-sdk/container";
import webPlugin from "@trunkline/channel-web";

/** The channels that come with Trunkline. Web is part of the gateway; the others are packages that may be left out. */
const OPTIONAL: Readonly<Record<string, () => Promise<{ readonly default: Plugin }>>> = {
  "@trunkline/channel-telegram": () => import("@trunkline/channel-telegram"),
  "@trunkline/channel-discord": () => import("@trunkline/channel-discord"),
  "@trunkline/channel-slack": () => import("@trunkline/channel-slack"),
  "@trunkline/channel-whatsapp": () => import("@trunkline/channel-whatsapp"),
};

/**
 * Registers the channel plugins that are installed and gives the channels. The platform libraries behind them are loaded by each
 * channel when an account starts, so a channel that is not configured costs next to nothing.
 */
// Any channel's config type: only the channel itself looks inside.
// oxlint-disable-next-line typescript/no-explicit-any
export async function registerChannels(container: Container): Promise<readonly ChannelPlugin<any>[]> {
  container.register(webPlugin);
  for (const [name, load] of Object.entries(OPTIONAL)) {
    try {
      container.register((await load()).default);
    } catch (error) {
      if (isMissing(error, name)) continue;
      throw new GatewayError("PLUGIN_LOAD_FAILED", { detail: { plugin: name, reason: describeError(error) }, cause: error });
    }
  }
  return container.all(CHANNELS);
}

/** Whether the package itself is left out; a package that is there but broken must not look like one that is not. */
function isMissing(error: unknown, name: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND" && String(error).includes(`'${name}'`);
}
