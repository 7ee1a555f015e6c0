import { badRequest } from "../refusal.ts";
import type { Params } from "../params.ts";
import type { Method } from "./method.ts";

// Source: telegram-bot-api Client.h, LONG_POLL_MAX_TIMEOUT.
const MAX_TIMEOUT_S = 50;

/** getUpdates, with confirmation by offset and long polling. Source: core.telegram.org/bots/api#getupdates. */
export const getUpdates: Method = async ({ world, params, signal }) => {
  if (world.updates.webhook === "") world.updates.allow(allowedUpdates(params));
  const result = await world.updates.poll(
    {
      offset: params.integer("offset", 0),
      limit: params.integer("limit", 100, 1, 100),
      timeoutMs: params.integer("timeout", 0, 0, MAX_TIMEOUT_S) * 1000,
    },
    signal,
  );
  return { result };
};

/** setWebhook: keeps the address, so that polling conflicts. Nothing is delivered to it. */
export const setWebhook: Method = ({ world, params }) => {
  const url = params.text("url");
  if (url !== "" && !/^https:\/\//i.test(url)) throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  if (!/^[A-Za-z0-9_-]{0,256}$/.test(params.text("secret_token"))) {
    throw badRequest("secret token contains unallowed characters");
  }
  world.updates.allow(allowedUpdates(params));
  const changed = world.updates.setWebhook(url, params.flag("drop_pending_updates"));
  if (url === "") return { result: true, description: changed ? "Webhook was deleted" : "Webhook is already deleted" };
  return { result: true, description: changed ? "Webhook was set" : "Webhook is already set" };
};

/** deleteWebhook. */
export const deleteWebhook: Method = ({ world, params }) => {
  const changed = world.updates.setWebhook("", params.flag("drop_pending_updates"));
  return { result: true, description: changed ? "Webhook was deleted" : "Webhook is already deleted" };
};

/** getWebhookInfo. */
export const getWebhookInfo: Method = ({ world }) => ({
  result: { url: world.updates.webhook, has_custom_certificate: false, pending_update_count: world.updates.pending },
});

function allowedUpdates(params: Params): string[] | undefined {
  if (params.text("allowed_updates") === "") return undefined;
  const types = params.json("allowed_updates", "allowed updates");
  return Array.isArray(types) ? types.filter((type): type is string => typeof type === "string") : undefined;
}
