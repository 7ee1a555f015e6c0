import type { SignInLinks } from "../control/protocol.ts";
import { connectGateway } from "./connect.ts";
import { type CliIo, EXIT, type ExitCode } from "./io.ts";
import type { ConfigOptions } from "./load.ts";

export interface WebLinkOptions extends ConfigOptions {
  readonly role?: keyof SignInLinks;
  readonly json?: boolean;
}

/** Prints the links that sign a browser in at the running gateway. They go to standard output alone. */
export async function webLinkCommand({ role, json, ...options }: WebLinkOptions, io: CliIo): Promise<ExitCode> {
  const links = await connectGateway(options, io).api.signInLinks({});
  if (json) io.out(JSON.stringify(role === undefined ? links : { [role]: links[role] }, null, 2));
  else io.out(role === undefined ? formatLinks(links) : links[role]);
  return EXIT.ok;
}

function formatLinks({ admin, chat }: SignInLinks): string {
  return [`For the owner, who may use every command:`, `  ${admin}`, `For somebody who may chat:`, `  ${chat}`].join("\n");
}
