import { type Clock, type GatewayConfig, GatewayError, silentLogger, toGatewayError } from "@trunkline/plugin-sdk";
import { makeModelProvider } from "../model-providers.ts";

/** Time that a provider has to begin an answer, ms. */
const MODEL_PROBE_MS = 10_000;

/**
 * Asks a model for two letters, the way a turn would, and gives the error that came instead; undefined when it answers. Ends with the
 * first piece of the answer, so that it costs next to nothing. Never rejects.
 */
export async function probeModel(config: GatewayConfig, reference: string, clock: Clock): Promise<GatewayError | undefined> {
  const slash = reference.indexOf("/");
  const stop = new AbortController();
  const cancel = clock.timer(MODEL_PROBE_MS, () => stop.abort(new GatewayError("MODEL_TIMEOUT", { detail: { model: reference } })));
  let close: (() => Promise<void>) | undefined;
  try {
    const provider = makeModelProvider(reference.slice(0, slash), config, { clock, logger: silentLogger });
    close = provider.close?.bind(provider);
    const request = {
      model: reference.slice(slash + 1),
      messages: [{ role: "user" as const, text: "Answer with OK." }],
      tools: [],
      thinking: "off" as const,
      signal: stop.signal,
    };
    for await (const _event of provider.stream(request)) break;
    return undefined;
  } catch (error) {
    return toGatewayError(error);
  } finally {
    cancel();
    await close?.().catch(() => {});
  }
}
