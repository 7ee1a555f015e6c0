import type { HttpHandler, HttpIdentity } from "@trunkline/plugin-sdk";

/** Prefixes and who answers below them. */
export interface Mounts {
  /** Adds a handler below a prefix (`/web` answers `/web` and `/web/...`, never `/webcam`). The returned function removes it. */
  route(prefix: string, handler: HttpHandler): () => void;
  /** The first answer, the longest prefix asked first, and of equal ones the older; undefined when nobody answers. */
  answer(request: Request, path: string, who: HttpIdentity | undefined): Promise<Response | undefined>;
}

interface Mount {
  /** Ends with a slash. */
  readonly prefix: string;
  readonly handler: HttpHandler;
}

/** Creates an empty set of mounts. */
export function createMounts(): Mounts {
  let mounts: readonly Mount[] = [];
  return {
    route(prefix, handler) {
      const mount = { prefix: `/${prefix}/`.replace(/\/+/g, "/"), handler };
      // Array sorting is stable, so equal prefixes keep the order in which they came.
      mounts = [...mounts, mount].toSorted((a, b) => b.prefix.length - a.prefix.length);
      return () => {
        mounts = mounts.filter((other) => other !== mount);
      };
    },
    async answer(request, path, who) {
      for (const { prefix, handler } of mounts) {
        if (!`${path}/`.startsWith(prefix)) continue;
        const response = await handler(request, who);
        if (response !== undefined) return response;
      }
      return undefined;
    },
  };
}
