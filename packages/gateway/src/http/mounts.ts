import type { HttpHandler, HttpIdentity, RouteOptions } from "@trunkline/plugin-sdk";

/** Prefixes and who answers below them. */
export interface Mounts {
  /** Adds a handler below a prefix (`/web` answers `/web` and `/web/...`, never `/webcam`). The returned function removes it. */
  route(prefix: string, handler: HttpHandler, options?: RouteOptions): () => void;
  /** Largest body below a path, where the handler that is asked first has a rule of its own. Unit: bytes. */
  bodyLimit(path: string): number | undefined;
  /** The first answer, the longest prefix asked first, and of equal ones the older; undefined when nobody answers. */
  answer(request: Request, path: string, who: HttpIdentity | undefined): Promise<Response | undefined>;
}

interface Mount {
  /** Ends with a slash. */
  readonly prefix: string;
  readonly handler: HttpHandler;
  readonly maxBodyBytes: number | undefined;
}

/** Creates an empty set of mounts. */
export function createMounts(): Mounts {
  let mounts: readonly Mount[] = [];
  return {
    route(prefix, handler, options) {
      const mount = { prefix: `/${prefix}/`.replace(/\/+/g, "/"), handler, maxBodyBytes: options?.maxBodyBytes };
      // Array sorting is stable, so equal prefixes keep the order in which they came.
      mounts = [...mounts, mount].toSorted((a, b) => b.prefix.length - a.prefix.length);
      return () => {
        mounts = mounts.filter((other) => other !== mount);
      };
    },
    bodyLimit: (path) => mounts.find(({ prefix }) => isBelow(path, prefix))?.maxBodyBytes,
    async answer(request, path, who) {
      for (const { prefix, handler } of mounts) {
        if (!isBelow(path, prefix)) continue;
        const response = await handler(request, who);
        if (response !== undefined) return response;
      }
      return undefined;
    },
  };
}

function isBelow(path: string, prefix: string): boolean {
  return `${path}/`.startsWith(prefix);
}
