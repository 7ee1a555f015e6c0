import type { HttpIdentity } from "@trunkline/plugin-sdk";
import { GatewayError } from "@trunkline/plugin-sdk";
import type { AccessSecrets } from "./access-secrets.ts";
import { equalInConstantTime } from "./constant-time.ts";
import { problem, problemOf } from "./problem.ts";

/** Numbers in Prometheus' text format; undefined while there are none yet. */
export type MetricsText = () => Promise<string | undefined>;

/** Who asks for the numbers. */
export interface MetricsRequest {
  /** Remote address of the connection; undefined when it is gone. */
  readonly address: string | undefined;
  readonly authorization: string | undefined;
  /** Whom the cookie names. */
  readonly who: HttpIdentity | undefined;
}

/**
 * `GET /metrics`: 200 with Prometheus' text for a program on this machine that has the admin token, as `Authorization: Bearer` or as
 * an owner's cookie. From elsewhere 403, without the token 401: behind a reverse proxy everybody has a loopback address.
 */
export async function answerMetrics(request: MetricsRequest, secrets: AccessSecrets, text: MetricsText): Promise<Response> {
  if (!isLoopback(request.address)) {
    return Response.json(problem("Metrics are for programs on this machine.", "Collect them here, or through an SSH tunnel."), {
      status: 403,
    });
  }
  const [, token = ""] = /^Bearer +(\S+) *$/i.exec(request.authorization ?? "") ?? [];
  const isOwner = request.who?.role === "admin" || equalInConstantTime(token, secrets.tokens.admin);
  if (!isOwner) {
    const headers = { "www-authenticate": "Bearer" };
    return Response.json(problemOf(new GatewayError("ACCESS_TOKEN_INVALID")), { status: 401, headers });
  }
  const numbers = await text();
  if (numbers === undefined) return Response.json(problem("The gateway is starting.", "Try again in a moment."), { status: 503 });
  return new Response(numbers, { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } });
}

/** 127.0.0.0/8 and ::1, also as IPv4 in IPv6. */
function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/i.test(address);
}
