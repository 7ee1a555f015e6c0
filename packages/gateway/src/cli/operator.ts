import { existsSync } from "node:fs";
import { randomBytes } from "node:crypto";
import {
  type AccessDesk,
  acquireInstanceLock,
  BUILT_IN_COMMANDS,
  createAccessDesk,
  createDeadLetterDesk,
  dryRun,
  explainMessage,
  openStore,
} from "@trunkline/core";
import { type ConfigSnapshot, createIds, GatewayError, isGatewayError, type Store, systemClock } from "@trunkline/plugin-sdk";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { registerChannels } from "../channels.ts";
import type { ControlApi } from "../control/protocol.ts";
import { type DataFolder, makeDataFolder } from "../data-folder.ts";
import { type ConnectedGateway, connectGateway } from "./connect.ts";
import type { CliIo } from "./io.ts";
import type { ConfigOptions } from "./load.ts";

/** What an operator can ask whether or not a gateway runs. */
export type OperatorApi = Omit<ControlApi, "status" | "signInLinks" | "storeBackup" | "storeStatus">;

/** `write` keeps a gateway from starting on the folder meanwhile. */
type Use = "read" | "write";

/**
 * Asks the running gateway; when none runs, does the same on its store. Undefined when the configuration has errors, which are
 * printed then.
 */
export async function askOperator<T>(
  options: ConfigOptions,
  io: CliIo,
  use: Use,
  ask: (api: OperatorApi) => Promise<T>,
): Promise<T | undefined> {
  const gateway = connectGateway(options, io);
  try {
    return await ask(gateway.api);
  } catch (error) {
    if (!isGatewayError(error, "GATEWAY_NOT_RUNNING")) throw error;
    return besideStoppedGateway(gateway, use, ask);
  }
}

async function besideStoppedGateway<T>(gateway: ConnectedGateway, use: Use, ask: (api: OperatorApi) => Promise<T>): Promise<T> {
  const { data } = gateway;
  if (!isThere(data)) return ask(await storeApi(undefined, gateway));
  if (use === "write") makeDataFolder(data.path);
  const lock = use === "write" ? await acquireInstanceLock(data.path) : undefined;
  try {
    const store = await openStore({ url: data.storeUrl, clock: systemClock, ...(use === "read" ? { readOnly: true } : {}) });
    try {
      return await ask(await storeApi(store, gateway));
    } finally {
      await store.close();
    }
  } finally {
    await lock?.release();
  }
}

/** Looking must not make a database where there is none. */
function isThere({ storeUrl }: DataFolder): boolean {
  return !storeUrl.startsWith("sqlite:") || existsSync(storeUrl.slice("sqlite:".length));
}

/** The calls of the control socket, on the store itself. Without a store only a dry run has an answer. */
async function storeApi(store: Store | undefined, gateway: ConnectedGateway): Promise<OperatorApi> {
  const channels = new Map((await registerChannels(createContainer())).map((channel) => [channel.id, channel]));
  const now = (): number => systemClock.now();
  const need = (): Store => {
    if (store) return store;
    throw new GatewayError("GATEWAY_NOT_RUNNING", { detail: { path: gateway.data.path } });
  };
  const desk = (current: () => ConfigSnapshot = noConfig): AccessDesk =>
    createAccessDesk({
      store: need(),
      clock: systemClock,
      ids: createIds(now, () => randomBytes(4).readUInt32BE() / 2 ** 32),
      config: { current },
      channels,
    });
  const letters = () => createDeadLetterDesk({ store: need(), clock: systemClock });
  return {
    explain: async ({ message }) => explainMessage(message, need(), channels.values()),
    async dryRun(query) {
      const config = await configOf(gateway);
      return dryRun(query, { config, channels, commands: BUILT_IN_COMMANDS, store, now: now(), runningTurn: () => undefined });
    },
    pairingList: async () => desk().requests(),
    async pairingApprove(choice) {
      // The sentence that tells the sender is configured.
      const config = await configOf(gateway);
      return desk(() => config).approve(choice);
    },
    pairingDeny: async (choice) => desk().deny(choice),
    accessList: async () => desk().entries(),
    accessRemove: async (key) => desk().remove(key),
    dlqList: async () => letters().list(),
    dlqShow: async ({ id }) => letters().show(id),
    dlqRetry: async ({ id }) => letters().retry(id),
    dlqDrop: async ({ id }) => letters().drop(id),
  };
}

/** The configuration, for what needs one. Its errors have been printed. */
async function configOf(gateway: ConnectedGateway): Promise<ConfigSnapshot> {
  const loaded = await gateway.config();
  if (!loaded) throw new GatewayError("CONFIG_INVALID");
  return loaded.snapshot;
}

function noConfig(): ConfigSnapshot {
  throw new GatewayError("GATEWAY_BUG", { detail: { reason: "the configuration was not read for this" } });
}
