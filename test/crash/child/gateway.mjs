// @ts-check
import { join } from "node:path";
import { createContainer } from "@trunkline/plugin-sdk/container";
import { createRedactor } from "@trunkline/plugin-sdk";
import { registerChannels } from "../../../packages/gateway/dist/channels.js";
import { loadConfig } from "../../../packages/gateway/dist/config/load.js";
import { createLogger, startGateway } from "../../../packages/gateway/dist/index.js";
import { storyPlugin } from "./story-plugin.mjs";

// The gateway as it is built, with one plugin more: the scripted model and the tools of the stories.
const [file = "", folder = ""] = process.argv.slice(2);
// Whoever started this is gone: nobody else would end it.
process.on("disconnect", () => process.exit());
// Everything is loaded by now; the start itself waits for its word, so that a process can stand by while another one runs.
process.channel?.ref();
await new Promise((resolve) => {
  process.on("message", (/** @type {{ start?: true }} */ { start }) => start && resolve(undefined));
  process.send?.({ loaded: true });
});
const container = createContainer();
const channels = await registerChannels(container);
container.register(storyPlugin({ toolLog: join(folder, "tools.log") }));
const loaded = loadConfig({ file, env: {}, channels, knownProviders: ["script"] });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
const redactor = createRedactor();
const data = { path: join(folder, "data"), storeUrl: loaded.snapshot.config.store.url ?? `sqlite:${join(folder, "data", "trunkline.db")}` };
const gateway = await startGateway({ snapshot: loaded.snapshot, data, container, logger: createLogger("info", redactor), redactor });
process.send?.({ ready: gateway.url });
process.channel?.unref();
