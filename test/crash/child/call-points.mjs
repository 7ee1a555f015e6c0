// @ts-check
import { subscribe } from "node:diagnostics_channel";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import { reach } from "./points.mjs";

/** Every request to a platform is two points: before it is sent, and when its answer is there and nobody has looked at it. */
export function watchCalls() {
  for (const library of [http, https]) {
    const { request } = library;
    library.request = function requestWatched(/** @type {unknown[]} */ ...args) {
      // @ts-expect-error passed on as it came
      const call = request.apply(this, args);
      const name = `call ${nameOf(call.path)}`;
      reach(`${name}: before`);
      const { emit } = call;
      call.emit = function emitWatched(/** @type {string} */ event, /** @type {unknown[]} */ ...rest) {
        if (event === "response") reach(`${name}: answered`);
        return emit.call(this, event, ...rest);
      };
      return call;
    };
    library.get = function getWatched(/** @type {unknown[]} */ ...args) {
      // @ts-expect-error passed on as it came
      const call = library.request(...args);
      call.end();
      return call;
    };
  }
  syncBuiltinESMExports();
  // fetch has another client below it.
  subscribe("undici:request:create", (told) => reach(`call ${nameOf(pathIn(told))}: before`));
  subscribe("undici:request:headers", (told) => reach(`call ${nameOf(pathIn(told))}: answered`));
}

/** @param {unknown} told */
function pathIn(told) {
  return /** @type {{ request: { path: string } }} */ (told).request.path;
}

/** The method of `/bot<token>/<method>`; a file's download is "file". @param {string} path */
function nameOf(path) {
  if (path.startsWith("/file/")) return "file";
  return path.split("?")[0]?.split("/").at(-1) ?? path;
}

/** Every event and every answer to a browser is two points: before and after it is written. */
export function watchAnswers() {
  const { prototype } = http.ServerResponse;
  for (const method of /** @type {const} */ (["write", "end"])) {
    /** @type {(...args: any[]) => any} */
    const original = prototype[method];
    /** @this {http.ServerResponse} @param {unknown[]} args */
    function writeWatched(...args) {
      const name = answerName(this, args[0], method);
      if (name === undefined) return original.apply(this, args);
      reach(`${name}: before`);
      const result = original.apply(this, args);
      reach(`${name}: after`);
      return result;
    }
    prototype[method] = /** @type {any} */ (writeWatched);
  }
}

/**
 * Undefined for what says nothing to a person: the control socket, a heartbeat, the end of a stream.
 * @param {http.ServerResponse} response @param {unknown} chunk @param {"write" | "end"} method
 */
function answerName(response, chunk, method) {
  const { url = "", method: verb } = response.req;
  const path = url.split("?")[0] ?? "";
  if (!path.startsWith("/web/")) return undefined;
  if (path !== "/web/events") return method === "end" ? `answer ${verb} ${path} ${response.statusCode}` : undefined;
  const text = chunk instanceof Uint8Array ? Buffer.from(chunk).toString("utf8") : "";
  const names = [...text.matchAll(/^event: (\w+)$/gm)].map((match) => match[1]);
  return names.length === 0 ? undefined : `event ${names.join(" and ")}`;
}
