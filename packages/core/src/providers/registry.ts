import { GatewayError, type ModelInfo, type ModelProvider } from "@trunkline/plugin-sdk";
import { findNearest } from "../config/nearest.ts";

/** A model reference with its provider found. */
export interface ResolvedModel {
  readonly provider: ModelProvider;
  /** The name without the provider; it may contain slashes (`meta/llama` of `openrouter/meta/llama`). */
  readonly model: string;
}

/** The providers of this gateway. */
export interface ModelRegistry {
  readonly providers: readonly ModelProvider[];
  /** Finds `provider/model`. Throws MODEL_UNKNOWN with the nearest match; whether the provider has the model shows when it is called. */
  resolve(reference: string): ResolvedModel;
  /** What is known about `provider/model`; undefined when its provider knows nothing, or there is none. */
  about(reference: string): ModelInfo | undefined;
  /** Why `provider/model` cannot be asked now; undefined when it may be. */
  unavailable(reference: string): GatewayError | undefined;
  /** Closes all providers, also when one of them fails to. */
  close(): Promise<void>;
}

/** Longest reference that is compared or shown, in characters. */
const REFERENCE_LIMIT = 200;

/** Creates a registry. Throws PLUGIN_DUPLICATE_ID when two providers have one id. */
export function createModelRegistry(providers: readonly ModelProvider[]): ModelRegistry {
  const byId = new Map<string, ModelProvider>();
  providers.forEach((provider, index) => {
    if (byId.has(provider.id)) {
      const first = providers.findIndex(({ id }) => id === provider.id);
      throw new GatewayError("PLUGIN_DUPLICATE_ID", {
        detail: { kind: "model provider", id: provider.id, first: `number ${first + 1}`, second: `number ${index + 1}` },
      });
    }
    byId.set(provider.id, provider);
  });
  const find = (reference: string): ResolvedModel | undefined => {
    const slash = reference.indexOf("/");
    const provider = slash < 1 ? undefined : byId.get(reference.slice(0, slash));
    const model = reference.slice(slash + 1);
    return provider === undefined || model === "" ? undefined : { provider, model };
  };
  return {
    providers,
    about(reference) {
      const found = find(reference);
      return found?.provider.about?.(found.model);
    },
    unavailable(reference) {
      const found = find(reference);
      return found?.provider.unavailable?.(found.model);
    },
    resolve(reference) {
      const found = find(reference);
      if (found !== undefined) return found;
      throw new GatewayError("MODEL_UNKNOWN", {
        detail: { model: reference.slice(0, REFERENCE_LIMIT) },
        hint: toHint(reference.slice(0, REFERENCE_LIMIT), [...byId.keys()]),
      });
    },
    async close() {
      await Promise.allSettled(providers.map((provider) => provider.close?.()));
    },
  };
}

function toHint(reference: string, ids: readonly string[]): string {
  const [id = "", ...rest] = reference.split("/");
  const known = ids.length === 0 ? "No provider is configured." : `Providers: ${ids.join(", ")}.`;
  if (ids.includes(id)) return `Write the model after the provider, as in ${id}/NAME.`;
  const nearest = findNearest(id, ids);
  const model = rest.join("/");
  if (nearest !== undefined) return `Did you mean ${nearest}/${model === "" ? "NAME" : model}? ${known}`;
  return `Write provider/model. ${known}`;
}
