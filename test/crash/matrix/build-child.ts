import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** A place for what can be made again, from where the gateway's libraries are found. */
const FOLDER = path("../../../packages/gateway/node_modules/.cache/crash");

/** The file of the child. */
export const CHILD = `${FOLDER}/gateway.mjs`;

/** Builds the child as the `trunkline` command is built, before any test of real processes. A start then takes half the time. */
export async function buildChild(): Promise<void> {
  await build({
    input: path("../child/gateway.mjs"),
    platform: "node",
    logLevel: "silent",
    resolve: { conditionNames: ["trunkline-source", "node", "default"] },
    // As in packages/gateway/bundle.mjs.
    external: [/^@trunkline\/plugin-sdk/, "@photostructure/sqlite", "pg-native"],
    output: { dir: FOLDER, entryFileNames: "[name].mjs", chunkFileNames: "chunks/[name]-[hash].mjs" },
  });
  // The page of the web chat is read from `../public/` beside the code.
  cpSync(path("../../../packages/channel-web/public"), `${FOLDER}/public`, { recursive: true });
}
