import { createHmac } from "node:crypto";
import type { HttpIdentity } from "@trunkline/plugin-sdk";
import { ACCESS_ROLES, type AccessRole } from "./access-role.ts";
import type { AccessSecrets } from "./access-secrets.ts";
import { equalInConstantTime } from "./constant-time.ts";

/** How long a browser stays signed in. Unit: s. The signature covers the time of issue, so that the server keeps to it too. */
export const COOKIE_LIFE_S = 365 * 24 * 60 * 60;

/** Where the cookie of a returning visitor is sent: signing in and out, and nowhere else. */
const RETURNING_PATH = "/auth/session";

/** The session cookie's name. Browsers share cookies over all ports of one host, so two gateways on one machine need two names. */
export function cookieName(port: number): string {
  return `trunkline_${port}`;
}

/** Name of the cookie by which a browser that signed out is known again: one for each role, since they may be two persons. */
export function returningName(port: number, role: AccessRole): string {
  return `${cookieName(port)}_${role}_visitor`;
}

/** A signed cookie value: `v1.<role>.<visitor>.<issued at, s>.<hmac>`. */
export function sealIdentity(who: HttpIdentity, secrets: AccessSecrets, now: number): string {
  return seal("v1", who, now, sessionKey(who.role, secrets));
}

/** A signed cookie value that signs nobody in: it tells who the browser was, to whoever signs in there in the same role. */
export function sealReturning(who: HttpIdentity, secrets: AccessSecrets, now: number): string {
  return seal("r1", who, now, returningKey(who.role, secrets));
}

/** The identity in a cookie value; undefined when it is missing, forged, expired, or signed under a token that was replaced since. */
export function openIdentity(value: string | undefined, secrets: AccessSecrets, now: number): HttpIdentity | undefined {
  return open("v1", value, now, (role) => sessionKey(role, secrets));
}

/** Who a browser was that signed out; undefined when it is missing, forged or expired, or when it may be another person by now. */
export function openReturning(value: string | undefined, role: AccessRole, secrets: AccessSecrets, now: number): HttpIdentity | undefined {
  const who = open("r1", value, now, (sealed) => returningKey(sealed, secrets));
  return who?.role === role ? who : undefined;
}

/** The `Set-Cookie` header that signs a browser in. `secure` for a page that came over TLS (a reverse proxy). */
export function setCookie(port: number, value: string, secure: boolean): string {
  return `${cookieName(port)}=${value}; Path=/; Max-Age=${COOKIE_LIFE_S}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

/** The `Set-Cookie` header that takes a browser's cookie away. */
export function clearCookie(port: number): string {
  return `${cookieName(port)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`;
}

/** The `Set-Cookie` header by which a browser is known again after it signed out. */
export function setReturning(port: number, role: AccessRole, value: string, secure: boolean): string {
  const attributes = `Path=${RETURNING_PATH}; Max-Age=${COOKIE_LIFE_S}; HttpOnly; SameSite=Strict`;
  return `${returningName(port, role)}=${value}; ${attributes}${secure ? "; Secure" : ""}`;
}

/** The `Set-Cookie` header that makes a browser a stranger again. */
export function clearReturning(port: number, role: AccessRole): string {
  return `${returningName(port, role)}=; Path=${RETURNING_PATH}; Max-Age=0; HttpOnly; SameSite=Strict`;
}

function seal(version: string, who: HttpIdentity, now: number, key: string): string {
  const body = `${version}.${who.role}.${who.visitor}.${Math.floor(now / 1000)}`;
  return `${body}.${signature(body, key)}`;
}

function open(version: string, value: string | undefined, now: number, keyOf: (role: AccessRole) => string): HttpIdentity | undefined {
  const match = /^(([a-z]\d)\.([a-z]+)\.([0-9a-f]{32})\.(\d{1,12}))\.([\w-]{43})$/.exec(value ?? "");
  if (match === null) return undefined;
  const [, body = "", found = "", role = "", visitor = "", issued = "", hmac = ""] = match;
  if (found !== version || !isRole(role) || !equalInConstantTime(hmac, signature(body, keyOf(role)))) return undefined;
  const age = now / 1000 - Number(issued);
  return age <= COOKIE_LIFE_S ? { role, visitor } : undefined;
}

function signature(body: string, key: string): string {
  return createHmac("sha256", key).update(body).digest("base64url");
}

/** The role's token is part of the key: replacing the token ends the sessions that it opened. */
function sessionKey(role: AccessRole, { cookieKey, tokens }: AccessSecrets): string {
  return `${cookieKey}\n${tokens[role]}`;
}

/**
 * The owner is one person, whatever the token is: who was signed out everywhere and has the new link finds the conversations again. The
 * chat token is for many, and a new one may be for others: then nobody is known again.
 */
function returningKey(role: AccessRole, { cookieKey, tokens }: AccessSecrets): string {
  return `returning\n${cookieKey}\n${role === "chat" ? tokens.chat : ""}`;
}

function isRole(text: string): text is AccessRole {
  return ACCESS_ROLES.some((role) => role === text);
}
