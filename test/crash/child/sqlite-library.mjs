// @ts-check
import { createRequire } from "node:module";
import { dirname } from "node:path";

/** First Node version whose built-in SQLite the gateway uses. */
const BUILT_IN_SINCE = 24;

/**
 * What is done around a connection's statements.
 * @typedef {object} Watch
 * @property {(sql: string) => string} rewrite Changes a text before it is prepared.
 * @property {(sql: string, parameters: readonly unknown[], run: () => unknown) => unknown} around Runs a statement, or does something else.
 */

/** Puts a watch around every connection that the gateway opens to SQLite. @param {() => Watch} watchOf makes the one of a connection */
export function watchSqlite(watchOf) {
  const library = libraryBelow();
  // The methods of the native class cannot be replaced, so each connection gets its own.
  library.DatabaseSync = new Proxy(library.DatabaseSync, {
    construct(target, args, newTarget) {
      const connection = Reflect.construct(target, args, newTarget);
      const { rewrite, around } = watchOf();
      const prepare = (/** @type {string} */ sql) => {
        const text = rewrite(sql);
        const statement = target.prototype.prepare.call(connection, text);
        const all = statement.all.bind(statement);
        const watched = (/** @type {unknown[]} */ ...parameters) => around(text, parameters, () => all(...parameters));
        return Object.defineProperty(statement, "all", { value: watched });
      };
      return Object.defineProperty(connection, "prepare", { value: prepare });
    },
  });
}

/** The object from which the gateway's library takes its class. @returns {{ DatabaseSync: any }} */
function libraryBelow() {
  if (Number.parseInt(process.versions.node, 10) >= BUILT_IN_SINCE) {
    return /** @type {any} */ (process).getBuiltinModule("node:sqlite");
  }
  const core = createRequire(new URL("../../../packages/core/package.json", import.meta.url));
  const manifest = core.resolve("@photostructure/sqlite/package.json");
  // The binary is loaded once for a process, whoever asks first.
  return createRequire(manifest)("node-gyp-build")(dirname(manifest));
}
