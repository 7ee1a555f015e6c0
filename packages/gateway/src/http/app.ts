import { getConnInfo } from "@hono/node-server/conninfo";
import { type Clock, describeError, GatewayError, type HttpIdentity, isGatewayError, type Logger } from "@trunkline/plugin-sdk";
import { type Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import type { AccessRole } from "./access-role.ts";
import type { AccessSecrets } from "./access-secrets.ts";
import { withinLimit } from "./body-limit.ts";
import { answerMetrics, type MetricsText } from "./metrics-route.ts";
import type { Mounts } from "./mounts.ts";
import { allowsOrigin } from "./origin-rule.ts";
import { problem, problemOf } from "./problem.ts";
import { addSecurityHeaders } from "./response-headers.ts";
import { cookieName, openIdentity, returningName } from "./session-cookie.ts";
import { createSignIn } from "./sign-in.ts";
import { describeSession, signOut, signOutEverywhere } from "./sign-out.ts";

/** Largest request body, where a route has no rule of its own. Unit: bytes. A message of 256 kB of text and its JSON fit. */
export const BODY_LIMIT = 300 * 1024;

export interface AppParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mounts: Mounts;
  readonly allowsHost: (header: string | undefined) => boolean;
  readonly health: () => { readonly alive: boolean };
  /** Whether everything that mounts itself has done so. Before, an address where nobody answers is not a wrong one. */
  readonly started: () => boolean;
  readonly ready: () => Promise<{ readonly ready: boolean; readonly why: readonly string[] }>;
  /** Numbers in Prometheus' text format; without it there is no /metrics. */
  readonly metrics?: MetricsText | undefined;
  /** Secrets and port of the listening server; undefined before it listens. */
  readonly access: () => { readonly secrets: AccessSecrets; readonly port: number } | undefined;
  /** Replaces the tokens of these roles and gives the secrets that hold from then on. */
  readonly rotate: (roles: readonly AccessRole[]) => Promise<AccessSecrets>;
  /** Ends every event stream, so that who was signed out notices. */
  readonly cutStreams: () => void;
}

/**
 * The routes and the order of their guards: Host, Origin, size, then the request itself. /healthz, /readyz, /metrics and /auth are
 * answered here, everything else by the mounts. Security headers go on every answer, refusals included.
 */
export function createApp(parts: AppParts): Hono {
  const app = new Hono();
  const nobody = (): Response => (parts.started() ? notFound() : starting());
  app.use(async (context, next) => {
    const started = parts.clock.monotonic();
    await next();
    addSecurityHeaders(context.res.headers);
    // Path only: nobody puts a secret into a query on our advice, but people do what they do.
    const { method, path } = context.req;
    parts.logger.debug({ method, path, status: context.res.status, ms: Math.round(parts.clock.monotonic() - started) }, "http request");
  });
  app.use(async (context, next) => refusal(context, parts) ?? (await next()));
  app.use(async (context, next) => {
    const own = parts.mounts.bodyLimit(context.req.path);
    // A body of which nobody knows the length would have to be held in memory: fine for a message, not for a file.
    if (own !== undefined && !announcesLength(context.req.raw)) return lengthNeeded();
    const bounded = await withinLimit(context.req.raw, own ?? BODY_LIMIT);
    if (bounded === undefined) return tooLarge(own ?? BODY_LIMIT);
    context.req.raw = bounded;
    return await next();
  });
  app.get("/healthz", (context) => {
    const { alive } = parts.health();
    return context.json({ alive }, alive ? 200 : 503);
  });
  app.get("/readyz", async (context) => {
    const { ready, why } = await parts.ready();
    return context.json({ ready, why }, ready ? 200 : 503);
  });
  addSessionRoutes(app, parts);
  addMetricsRoute(app, parts);
  app.all("*", async (context) => (await parts.mounts.answer(context.req.raw, context.req.path, identityOf(context, parts))) ?? nobody());
  app.notFound(() => nobody());
  app.onError((error, context) => {
    parts.logger.error({ method: context.req.method, path: context.req.path, error: describeError(error) }, "an http request failed");
    // The store's errors name folders, which are the operator's business.
    if (isGatewayError(error) && error.code.startsWith("STORE_"))
      return Response.json(problem("The gateway cannot do that now.", "Try again later."), { status: 503 });
    return Response.json(problemOf(isGatewayError(error) ? error : new GatewayError("GATEWAY_BUG")), { status: 500 });
  });
  return app;
}

/** Signing in and out: POST, GET and DELETE /auth/session, and POST /auth/rotate. */
function addSessionRoutes(app: Hono, parts: AppParts): void {
  const signIn = createSignIn(parts.clock, parts.logger);
  const isSecure = (context: Context): boolean => /^https:/i.test(context.req.header("origin") ?? "");
  app.post("/auth/session", async (context) => {
    const access = parts.access();
    if (access === undefined) return starting();
    const body: unknown = await context.req.json().catch(() => undefined);
    const address = getConnInfo(context).remote.address ?? "unknown";
    const returning = (role: AccessRole): string | undefined => getCookie(context, returningName(access.port, role));
    const request = { body, address, who: identityOf(context, parts), returning, secure: isSecure(context) };
    return signIn(request, access.secrets, access.port);
  });
  app.get("/auth/session", (context) => describeSession(identityOf(context, parts)));
  app.delete("/auth/session", (context) => {
    const access = parts.access();
    if (access === undefined) return starting();
    const who = identityOf(context, parts);
    // Other tabs of the browser notice by their streams. Who is nobody cuts nobody's.
    if (who !== undefined) parts.cutStreams();
    const request = { who, forget: context.req.query("forget") === "true", secure: isSecure(context), now: parts.clock.now() };
    return signOut(request, access.secrets, access.port);
  });
  app.post("/auth/rotate", async (context) => {
    const access = parts.access();
    if (access === undefined) return starting();
    const body: unknown = await context.req.json().catch(() => undefined);
    const request = { body, who: identityOf(context, parts), secure: isSecure(context), now: parts.clock.now() };
    return signOutEverywhere(request, access.port, parts);
  });
}

function addMetricsRoute(app: Hono, parts: AppParts): void {
  const { metrics } = parts;
  if (metrics === undefined) return;
  app.get("/metrics", (context) => {
    const access = parts.access();
    if (access === undefined) return starting();
    const { address } = getConnInfo(context).remote;
    const request = { address, authorization: context.req.header("authorization"), who: identityOf(context, parts) };
    return answerMetrics(request, access.secrets, metrics);
  });
}

function refusal(context: Context, parts: AppParts): Response | undefined {
  const header = (name: string): string | undefined => context.req.header(name);
  if (!parts.allowsHost(header("host"))) {
    return Response.json(problem("This gateway does not answer to that host name.", "Use the address that `trunkline start` printed."), {
      status: 421,
    });
  }
  const source = {
    method: context.req.method,
    host: header("host"),
    origin: header("origin"),
    fetchSite: header("sec-fetch-site"),
    accept: header("accept"),
    requestedWith: header("x-requested-with"),
  };
  if (allowsOrigin(source)) return undefined;
  return Response.json(problem("Requests from other pages are refused.", "Open the chat at the address that `trunkline start` printed."), {
    status: 403,
  });
}

function identityOf(context: Context, parts: AppParts): HttpIdentity | undefined {
  const access = parts.access();
  if (access === undefined) return undefined;
  return openIdentity(getCookie(context, cookieName(access.port)), access.secrets, parts.clock.now());
}

function notFound(): Response {
  return Response.json(problem("There is nothing at this address."), { status: 404 });
}

function starting(): Response {
  return Response.json(problem("The gateway is starting.", "Try again in a moment."), { status: 503, headers: { "retry-after": "1" } });
}

function tooLarge(limit: number): Response {
  const most = limit >= 1024 * 1024 ? `${limit / 1024 / 1024} MB` : `${limit / 1024} kB`;
  return Response.json(problem("That is too large.", `At most ${most} can be sent at once.`), { status: 413 });
}

function announcesLength(request: Request): boolean {
  return request.body === null || (request.headers.has("content-length") && !request.headers.has("transfer-encoding"));
}

function lengthNeeded(): Response {
  return Response.json(problem("The length of the file is missing."), { status: 411 });
}
