import { type Clock, GatewayError, type HttpHandler, type Logger, type RouteOptions } from "@trunkline/plugin-sdk";
import type { AccessRole } from "./access-role.ts";
import { type AccessSecrets, loadAccessSecrets, rotateTokens } from "./access-secrets.ts";
import { createApp } from "./app.ts";
import { createHostRule, reachableHost } from "./host-rule.ts";
import { type Listener, openListener } from "./listener.ts";
import type { MetricsText } from "./metrics-route.ts";
import { createMounts } from "./mounts.ts";

export interface HttpServerOptions {
  /** Address to listen on. Loopback unless the operator says otherwise. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Absolute path; tokens are kept in its `secrets/`. */
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly health: () => { readonly alive: boolean };
  /** Whether everything that mounts itself has done so. */
  readonly started: () => boolean;
  /** Reasons are for people, without secrets. */
  readonly ready: () => Promise<{ readonly ready: boolean; readonly why: readonly string[] }>;
  /** Numbers in Prometheus' text format, for the owner; without it there is no /metrics. */
  readonly metrics?: MetricsText;
  /** More names that a `Host` header may have, for a reverse proxy. */
  readonly allowedHosts?: readonly string[];
  /** Told of each secret that is made while the server runs, so that it never gets into a log. */
  readonly onSecret?: (secret: string) => void;
}

/** The gateway's one HTTP server. */
export interface HttpServer {
  /**
   * Reads or makes the tokens and listens.
   *
   * @throws GatewayError GATEWAY_PORT_BUSY, GATEWAY_PORT_DENIED, CONFIG_SECRET_UNREADABLE, STORE_UNAVAILABLE, STORE_FULL.
   */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** Replaces the names of `allowedHosts`, from the next request on. */
  allowHosts(names: readonly string[]): void;
  /** Cuts event streams, lets other requests finish for at most a second, frees the port. Idempotent. */
  close(): Promise<void>;
  readonly mount: {
    /** Serves below a prefix until the returned function is called. Works before and after `listen`. */
    route(prefix: string, handler: HttpHandler, options?: RouteOptions): () => void;
  };
  /**
   * The link that signs a browser in, as owner unless `chat` is asked for. It holds a token: print it on the terminal, never log it.
   * Undefined until the server listens.
   */
  signInUrl(role?: AccessRole): string | undefined;
  /** Whether this start made the tokens, so that the link is news. */
  tokensAreNew(): boolean;
  /** What must never be printed except by `signInUrl`: to be given to the redactor after `listen`. */
  secrets(): readonly string[];
}

/** Creates the server; nothing happens before `listen`. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const mounts = createMounts();
  let listener: Listener | undefined;
  let secrets: AccessSecrets | undefined;
  let rotation: Promise<unknown> = Promise.resolve();
  let allowsHost = createHostRule(options.host, options.allowedHosts ?? []);
  const app = createApp({
    clock: options.clock,
    logger: options.logger,
    mounts,
    allowsHost: (header) => allowsHost(header),
    health: options.health,
    started: options.started,
    ready: options.ready,
    metrics: options.metrics,
    // One after the other: each starts from what the one before it left.
    rotate: (roles) => {
      const next = rotation.then(async () => {
        if (secrets === undefined) throw new GatewayError("GATEWAY_BUG");
        const rotated = await rotateTokens(options.dataFolder, secrets, roles);
        secrets = rotated;
        for (const role of roles) options.onSecret?.(rotated.tokens[role]);
        return rotated;
      });
      rotation = next.catch(() => {});
      return next;
    },
    cutStreams: () => listener?.cutStreams(),
    access: () => (secrets === undefined || listener === undefined ? undefined : { secrets, port: listener.port }),
  });
  const address = (port: number): string => `http://${reachableHost(options.host)}:${port}`;
  return {
    async listen() {
      if (listener !== undefined) throw new GatewayError("GATEWAY_PORT_BUSY", { detail: { host: options.host, port: listener.port } });
      // The port first: a start that fails on it must not use up the news of the sign-in link.
      listener = await openListener(app, options.host, options.port, options.clock);
      secrets = await loadAccessSecrets(options.dataFolder);
      return { url: address(listener.port), port: listener.port };
    },
    allowHosts(names) {
      allowsHost = createHostRule(options.host, names);
    },
    async close() {
      const closing = listener;
      listener = undefined;
      await closing?.close();
    },
    mount: { route: (prefix, handler, rules) => mounts.route(prefix, handler, rules) },
    signInUrl: (role = "admin") =>
      secrets === undefined || listener === undefined
        ? undefined
        : `${address(listener.port)}/#token=${encodeURIComponent(secrets.tokens[role])}`,
    tokensAreNew: () => secrets?.fresh ?? false,
    secrets: () => (secrets === undefined ? [] : [...Object.values(secrets.tokens), secrets.cookieKey]),
  };
}
