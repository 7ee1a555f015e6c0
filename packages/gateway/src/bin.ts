#!/usr/bin/env node
import { runCli } from "./cli/main.ts";

// What a library uses that Node will drop one day concerns us, not who runs the command. `--trace-deprecation` still shows it.
process.noDeprecation = process.traceDeprecation !== true;
process.exitCode = await runCli(process.argv.slice(2));
