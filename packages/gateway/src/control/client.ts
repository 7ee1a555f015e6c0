import { request } from "node:http";
import { ERROR_CODES, type ErrorCode, GatewayError } from "@trunkline/plugin-sdk";
import { CONTROL_CALLS, type ControlApi, type ControlProblem } from "./protocol.ts";

/** Time that a running gateway has to answer, ms. */
const ANSWER_TIMEOUT_MS = 10_000;

/** A copy of a large database takes its time, ms. */
const BACKUP_TIMEOUT_MS = 30 * 60_000;

/** The gateway behind a socket. Every call rejects with GATEWAY_NOT_RUNNING when nobody listens there. */
export function controlClient(socketPath: string, dataFolder: string): ControlApi {
  const call = (name: string) => (args: unknown) => askSocket(socketPath, name, args, dataFolder);
  return Object.fromEntries(Object.keys(CONTROL_CALLS).map((name) => [name, call(name)])) as unknown as ControlApi; // its keys are the calls
}

async function askSocket(socketPath: string, name: string, args: unknown, dataFolder: string): Promise<unknown> {
  const timeout = name === "storeBackup" ? BACKUP_TIMEOUT_MS : ANSWER_TIMEOUT_MS;
  const { status, body } = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const call = request({ socketPath, path: `/${name}`, method: "POST", timeout }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", reject);
    });
    call.on("timeout", () =>
      call.destroy(
        new GatewayError("GATEWAY_NOT_RUNNING", { detail: { path: dataFolder }, hint: "The gateway does not answer; look at its log." }),
      ),
    );
    call.on("error", reject);
    call.end(JSON.stringify(args));
  }).catch((error: unknown) => {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError("GATEWAY_NOT_RUNNING", { detail: { path: dataFolder }, cause: error });
  });
  const parsed: unknown = JSON.parse(body);
  if (status === 200) return parsed;
  const problem = parsed as ControlProblem; // the other end is our own server
  throw new GatewayError(problem.code in ERROR_CODES ? (problem.code as ErrorCode) : "GATEWAY_BUG", {
    detail: problem.detail,
    hint: problem.hint,
  });
}
