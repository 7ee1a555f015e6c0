import { createHmac } from "node:crypto";
import type { HttpIdentity } from "@trunkline/plugin-sdk";
import { ACCESS_ROLES, type AccessRole } from "./access-role.ts";
import type { AccessSecrets } from "./access-secrets.ts";
import { equalInConstantTime } from "./constant-time.ts";

/** How long a browser stays signed in. Unit: s. The signature covers the time of issue, so that the server keeps to it too. */
export const COOKIE_LIFE_S = 365 * 24 * 60 * 60;

/** The cookie's name. Browsers share cookies over all ports of one host, so two gateways on one machine need two names. */
export function cookieName(port: number): string {
  return `trunkline_${port}`;
}

/** A signed cookie value: `v1.<role>.<visitor>.<issued at, s>.<hmac>`. */
export function sealIdentity(who: HttpIdentity, secrets: AccessSecrets, now: number): string {
  const body = `v1.${who.role}.${who.visitor}.${Math.floor(now / 1000)}`;
  return `${body}.${signature(body, who.role, secrets)}`;
}

/** The identity in a cookie value; undefined when it is missing, forged, expired, or signed under a token that was replaced since. */
export function openIdentity(value: string | undefined, secrets: AccessSecrets, now: number): HttpIdentity | undefined {
  const match = /^(v1\.([a-z]+)\.([0-9a-f]{32})\.(\d{1,12}))\.([\w-]{43})$/.exec(value ?? "");
  if (match === null) return undefined;
  const [, body = "", role = "", visitor = "", issued = "", hmac = ""] = match;
  if (!isRole(role) || !equalInConstantTime(hmac, signature(body, role, secrets))) return undefined;
  const age = now / 1000 - Number(issued);
  return age <= COOKIE_LIFE_S ? { role, visitor } : undefined;
}

/** The `Set-Cookie` header that signs a browser in. `secure` for a page that came over TLS (a reverse proxy). */
export function setCookie(port: number, value: string, secure: boolean): string {
  return `${cookieName(port)}=${value}; Path=/; Max-Age=${COOKIE_LIFE_S}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

/** The `Set-Cookie` header that takes a browser's cookie away. */
export function clearCookie(port: number): string {
  return `${cookieName(port)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`;
}

/** The role's token is part of the key: replacing the token ends the sessions that it opened. */
function signature(body: string, role: AccessRole, secrets: AccessSecrets): string {
  return createHmac("sha256", `${secrets.cookieKey}\n${secrets.tokens[role]}`).update(body).digest("base64url");
}

function isRole(text: string): text is AccessRole {
  return ACCESS_ROLES.some((role) => role === text);
}
