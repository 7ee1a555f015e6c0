import type { Vendor } from "./vendor.ts";

/** OpenAI's models, by @ai-sdk/openai and the Responses API. */
export const openai: Vendor = {
  name: "openai",
  baseUrl: "https://api.openai.com/v1",
  async load() {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return (settings, model) => createOpenAI(settings).responses(model);
  },
  // Nothing is kept at OpenAI: what has to come back with the next call (encrypted reasoning) is kept here.
  options: (_model, level) => ({ store: false, ...(level === undefined ? {} : { reasoningEffort: level === "off" ? "none" : level }) }),
};
