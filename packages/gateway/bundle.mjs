// @ts-check
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const path = (/** @type {string} */ relative) => fileURLToPath(new URL(relative, import.meta.url));

/**
 * Makes the `trunkline` command: our sources and the libraries behind them in a few files, because hundreds of modules, each read and linked by
 * itself, were half of the time and a tenth of the memory of a start. Every `import()` stays a file of its own, which is read
 * when it is needed.
 */
await build({
  input: path("src/bin.ts"),
  platform: "node",
  resolve: { conditionNames: ["trunkline-source", "node", "default"] },
  external: [
    // There must be one copy of the contracts: plugins bring their own imports of it, and tokens are compared by identity.
    /^@trunkline\/plugin-sdk/,
    // Finds its binary beside itself.
    "@photostructure/sqlite",
    // Optional in pg, and not installed.
    "pg-native",
  ],
  // Names with a hash: a gateway that runs while a newer one is built still finds its own files.
  output: { dir: path("dist"), entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
  plugins: [
    {
      name: "page of the web chat",
      // channel-web reads its page from `../public/` beside its code.
      writeBundle: () => cpSync(path("../channel-web/public"), path("dist/public"), { recursive: true }),
    },
  ],
});
