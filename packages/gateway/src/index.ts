export { type CliIo, EXIT, type ExitCode, printError, processIo } from "./cli/io.ts";
export { runCli } from "./cli/main.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { createLogger } from "./logger.ts";
export { VERSION } from "./version.ts";
