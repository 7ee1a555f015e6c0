import type { RenderProfile } from "@trunkline/plugin-sdk";
import { plainProfile } from "../../../packages/core/src/markdown/plain.ts";
import { discordProfile } from "../../../packages/channel-discord/src/render.ts";
import { slackProfile } from "../../../packages/channel-slack/src/render.ts";
import { telegramProfile, telegramProfileOf } from "../../../packages/channel-telegram/src/render.ts";
import { webProfile } from "../../../packages/channel-web/src/render.ts";
import { whatsappProfile } from "../../../packages/channel-whatsapp/src/render.ts";

/** Every way in which a text can be shown. */
export const PROFILES: Readonly<Record<string, RenderProfile>> = {
  telegram: telegramProfile,
  "telegram html": telegramProfileOf({ format: "html" }),
  discord: discordProfile,
  slack: slackProfile,
  whatsapp: whatsappProfile,
  web: webProfile,
  plain: plainProfile,
};

export const CHANNELS = Object.keys(PROFILES);
