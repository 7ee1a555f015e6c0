import { existsSync } from "node:fs";
import { explainMessage, type Explanation, formatExplanation, openStore } from "@trunkline/core";
import { isGatewayError, systemClock } from "@trunkline/plugin-sdk";
import type { DataFolder } from "../data-folder.ts";
import { connectGateway } from "./connect.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";

/** Prints every decision about one message, with the configuration line behind it. Works with and without a running gateway. */
export async function explainCommand(
  reference: string,
  options: ConfigOptions & { readonly json?: boolean },
  io: CliIo,
): Promise<ExitCode> {
  const gateway = connectGateway(options);
  const explanation = await gateway.api.explain(reference).catch((error: unknown) => {
    if (isGatewayError(error, "GATEWAY_NOT_RUNNING") && canRead(gateway.data)) return readDirectly(reference, gateway.data);
    throw error;
  });
  io.out(options.json ? JSON.stringify(explanation, null, 2) : formatExplanation(explanation));
  return EXIT.ok;
}

function canRead({ storeUrl }: DataFolder): boolean {
  return !storeUrl.startsWith("sqlite:") || existsSync(storeUrl.slice("sqlite:".length));
}

/** No gateway runs: the store is opened for reading. */
async function readDirectly(reference: string, { storeUrl }: DataFolder): Promise<Explanation> {
  const store = await openStore({ url: storeUrl, clock: systemClock, readOnly: true });
  try {
    return await explainMessage(reference, store);
  } finally {
    await store.close();
  }
}
