// @ts-check
import { join } from "node:path";
import { storyPlugin } from "./story-plugin.mjs";
import { processIo, runCli } from "../../../packages/gateway/src/index.ts";
// Loaded when they are needed, and here ahead of that: a process that stands by is to be quick.
import "../../../packages/gateway/src/cli/start.ts";
import "@trunkline/channel-telegram";

// `trunkline start` as it is built, with one plugin more: the scripted agents and the tools of the stories.
const [folder = "", agent] = process.argv.slice(2);
// Whoever started this is gone: nobody else would end it.
process.on("disconnect", () => process.exit());
process.channel?.ref();
await new Promise((resolve) => {
  process.on("message", (/** @type {{ start?: true }} */ { start }) => start && resolve(undefined));
  process.send?.({ loaded: true });
});
const io = {
  ...processIo(),
  out(/** @type {string} */ text) {
    const url = /Trunkline is ready: (https?:\/\/[^/\s]+)/.exec(text)?.[1];
    if (url === undefined) return;
    process.send?.({ ready: url });
    process.channel?.unref();
  },
};
const plugin = storyPlugin({ toolLog: join(folder, "tools.log"), scriptedAgent: agent === "scripted" });
process.exitCode = await runCli(["start", "--config", join(folder, "trunkline.yaml"), "--data", join(folder, "data")], io, [plugin]);
