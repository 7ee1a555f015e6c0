import type { HttpIdentity, Logger } from "@trunkline/plugin-sdk";
import { ACCESS_ROLES, type AccessRole } from "./access-role.ts";
import type { AccessSecrets } from "./access-secrets.ts";
import { problem } from "./problem.ts";
import { clearCookie, clearReturning, sealIdentity, sealReturning, setCookie, setReturning } from "./session-cookie.ts";

/** `GET /auth/session`: who the browser is, `{ role, visitor }`; 401 when it is not signed in. */
export function describeSession(who: HttpIdentity | undefined): Response {
  return who === undefined ? notSignedIn() : Response.json(who);
}

export interface LeaveRequest {
  readonly who: HttpIdentity | undefined;
  /** Others use the browser too: nobody is to be known there again. */
  readonly forget: boolean;
  /** The page came over TLS. */
  readonly secure: boolean;
  /** ms. */
  readonly now: number;
}

/**
 * `DELETE /auth/session`: this browser is signed out. Who signs in there again in the same role finds the conversations, unless the browser
 * is to forget.
 */
export function signOut({ who, forget, secure, now }: LeaveRequest, secrets: AccessSecrets, port: number): Response {
  const headers = new Headers();
  headers.append("set-cookie", clearCookie(port));
  if (who !== undefined) {
    const returning = forget ? clearReturning(port, who.role) : setReturning(port, who.role, sealReturning(who, secrets, now), secure);
    headers.append("set-cookie", returning);
  }
  return new Response(null, { status: 204, headers });
}

export interface SignOutRequest {
  /** The parsed JSON body, whatever it is: `{ roles }`. */
  readonly body: unknown;
  readonly who: HttpIdentity | undefined;
  /** The page came over TLS. */
  readonly secure: boolean;
  /** ms. */
  readonly now: number;
}

export interface SignOutParts {
  readonly logger: Logger;
  readonly rotate: (roles: readonly AccessRole[]) => Promise<AccessSecrets>;
  readonly cutStreams: () => void;
}

/**
 * `POST /auth/rotate`: new tokens for the given roles, so that every browser that came by the old ones is signed out, its open streams
 * included. The owner alone may do that; the browser that asked stays, by a cookie under the new token.
 */
export async function signOutEverywhere(request: SignOutRequest, port: number, parts: SignOutParts): Promise<Response> {
  const { who } = request;
  if (who === undefined) return notSignedIn();
  if (who.role !== "admin") return Response.json(problem("Only the owner can sign others out."), { status: 403 });
  const roles = rolesIn(request.body);
  if (roles.length === 0) return Response.json(problem("Say whom to sign out: { roles: [...] }."), { status: 400 });
  const secrets = await parts.rotate(roles);
  parts.cutStreams();
  parts.logger.warn({ roles: roles.join(" ") }, "the owner replaced sign-in tokens; their browsers are signed out");
  const cookie = setCookie(port, sealIdentity(who, secrets, request.now), request.secure);
  return Response.json({ roles }, { headers: { "set-cookie": cookie } });
}

function rolesIn(body: unknown): readonly AccessRole[] {
  const given = typeof body === "object" && body !== null && "roles" in body ? body.roles : undefined;
  return Array.isArray(given) ? ACCESS_ROLES.filter((role) => given.includes(role)) : [];
}

function notSignedIn(): Response {
  return Response.json(problem("You are not signed in."), { status: 401 });
}
