import type { LanguageModelV3, LanguageModelV3CallOptions, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { ThinkingLevel } from "@trunkline/plugin-sdk";
import type { CatalogueEntry } from "../catalogue.ts";

/** Options of a vendor's own, as its package takes them. */
export type VendorOptions = SharedV3ProviderOptions[string];

/** How a package's model is made for one call. */
export interface VendorSettings {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly fetch: typeof globalThis.fetch;
}

/** What differs between the providers that go through the AI SDK's packages. */
export interface Vendor {
  /** The name of its options and metadata. */
  readonly name: "anthropic" | "openai" | "google";
  readonly baseUrl: string;
  /** Loads the package; with the first call, since it costs about 200 ms. */
  load(): Promise<(settings: VendorSettings, model: string) => LanguageModelV3>;
  /** Options of every call. */
  options(model: string, thinking: ThinkingLevel | undefined, info: CatalogueEntry | undefined): VendorOptions;
  /** Limits that the API wants to be told. */
  limits?(info: CatalogueEntry | undefined): Pick<LanguageModelV3CallOptions, "maxOutputTokens">;
}
