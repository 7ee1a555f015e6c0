// @ts-check
import { runCli } from "../../packages/gateway/dist/index.js";

// The same command from its single files, so that a profile tells which of them the time goes to.
process.exitCode = await runCli(process.argv.slice(2));
