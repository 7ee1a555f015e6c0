import { createServer } from "node:net";
import { GatewayError } from "@trunkline/plugin-sdk";
import { type Finding, findingOf } from "./finding.ts";

/** The oldest Node that works: major and minor, as in package.json. */
const OLDEST_NODE = [20, 19] as const;

/** Whether this Node is new enough. `version` as in `process.versions.node`. */
export function nodeFindings(version: string): readonly Finding[] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return [];
  return [findingOf(new GatewayError("GATEWAY_NODE_TOO_OLD", { detail: { found: version, needed: OLDEST_NODE.join(".") } }))];
}

/** Whether a gateway that is not running could listen where it should. */
export async function portFindings(host: string, port: number): Promise<readonly Finding[]> {
  if (port === 0) return [];
  const server = createServer();
  const failed = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen({ host: host.replace(/^\[|\]$/g, ""), port }, () => resolve(undefined));
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (failed === undefined) return [];
  const code = failed.code === "EADDRINUSE" ? "GATEWAY_PORT_BUSY" : "GATEWAY_PORT_DENIED";
  return [findingOf(new GatewayError(code, { detail: { host, port } }))];
}
