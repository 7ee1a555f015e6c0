import { createAiSdkProvider, createOpenAiCompatibleProvider, KEY_VARIABLES } from "@trunkline/core";
import { type Clock, type GatewayConfig, GatewayError, type Logger, type ModelProvider } from "@trunkline/plugin-sdk";
import type { Environment } from "./config/environment.ts";

/** Makes a configured provider. Nothing of it is loaded or connected before its first call. */
export function makeModelProvider(
  id: string,
  { providers, network: { proxy } }: GatewayConfig,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): ModelProvider {
  const provider = providers[id];
  if (provider === undefined) throw new GatewayError("MODEL_UNKNOWN", { detail: { model: id } });
  const { type, baseUrl, ...rest } = provider;
  const options = { id, ...rest, clock, logger, ...(proxy ? { proxy } : {}) };
  if (type === "openai-compatible") return createOpenAiCompatibleProvider({ ...options, baseUrl: baseUrl ?? "" });
  return createAiSdkProvider({ ...options, type, ...(baseUrl === undefined ? {} : { baseUrl }) });
}

/** The raw configuration with an entry for each provider whose key is in the environment. What is written stays as it is. */
export function withProvidersOfEnvironment(raw: unknown, env: Environment): unknown {
  if (!isMap(raw)) return raw;
  const written = raw["providers"] ?? {};
  if (!isMap(written)) return raw;
  const found = Object.entries(KEY_VARIABLES).flatMap(([id, variables]) => {
    const apiKey = variables.map((name) => env[name]).find((value) => value !== undefined && value.trim() !== "");
    return apiKey === undefined || Object.hasOwn(written, id) ? [] : [[id, { type: id, apiKey }] as const];
  });
  return found.length === 0 ? raw : { ...raw, providers: { ...written, ...Object.fromEntries(found) } };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
