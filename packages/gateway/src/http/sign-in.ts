import { randomBytes } from "node:crypto";
import { type Clock, GatewayError, type HttpIdentity, type Logger } from "@trunkline/plugin-sdk";
import { ACCESS_ROLES, type AccessRole } from "./access-role.ts";
import type { AccessSecrets } from "./access-secrets.ts";
import { createAttempts } from "./attempts.ts";
import { equalInConstantTime } from "./constant-time.ts";
import { problem, problemOf } from "./problem.ts";
import { openReturning, sealIdentity, sealReturning, setCookie, setReturning } from "./session-cookie.ts";

export interface SignInRequest {
  /** The parsed JSON body, whatever it is. */
  readonly body: unknown;
  /** Remote address, for counting failures. */
  readonly address: string;
  /** Whom the browser's present cookie names. */
  readonly who: HttpIdentity | undefined;
  /** The browser's cookie of a visitor who returns in this role, whatever it is. */
  readonly returning: (role: AccessRole) => string | undefined;
  /** The page came over TLS. */
  readonly secure: boolean;
}

/** Exchanges a token for a cookie. */
export type SignIn = (request: SignInRequest, secrets: AccessSecrets, port: number) => Response;

/**
 * Creates the exchange behind `POST /auth/session`: `{ token }` gives 200 with who the browser is and cookies, 401 when the token is wrong,
 * 429 after too many wrong ones. A browser that is signed in already keeps its visitor id, and with it its conversations; so does one that
 * signed out and was not told to forget, when it signs in again in the same role.
 */
export function createSignIn(clock: Clock, logger: Logger): SignIn {
  const attempts = createAttempts(clock);
  return ({ body, address, who, returning, secure }, secrets, port) => {
    const role = roleOf(tokenIn(body), secrets);
    if (role === undefined) {
      // Only wrong tokens are slowed down: nobody can lock out who has the right one, and 256 bits are not guessed.
      const wait = attempts.wait(address);
      if (wait > 0) return tooMany(wait);
      attempts.failed(address);
      logger.warn({ address }, "a sign-in with a wrong token was refused");
      return Response.json(problemOf(new GatewayError("ACCESS_TOKEN_INVALID")), { status: 401 });
    }
    attempts.passed(address);
    const now = clock.now();
    const known = who ?? openReturning(returning(role), role, secrets, now);
    const identity: HttpIdentity = { role, visitor: known?.visitor ?? randomBytes(16).toString("hex") };
    const headers = new Headers();
    headers.append("set-cookie", setCookie(port, sealIdentity(identity, secrets, now), secure));
    headers.append("set-cookie", setReturning(port, role, sealReturning(identity, secrets, now), secure));
    return Response.json(identity, { headers });
  };
}

function tokenIn(body: unknown): string {
  return typeof body === "object" && body !== null && "token" in body && typeof body.token === "string" ? body.token.trim() : "";
}

/**
 * Every token is compared, so that the time does not tell which one came near. Should an operator have given both roles one token, it
 * opens the lesser one.
 */
function roleOf(token: string, secrets: AccessSecrets): AccessRole | undefined {
  let found: AccessRole | undefined;
  for (const role of ACCESS_ROLES) if (equalInConstantTime(token, secrets.tokens[role])) found ??= role;
  return found;
}

function tooMany(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  return Response.json(problem("Too many wrong tokens.", `Wait ${seconds} seconds, then open the sign-in link again.`), {
    status: 429,
    headers: { "retry-after": String(seconds) },
  });
}
