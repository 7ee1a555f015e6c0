// @ts-check
import { reach } from "./points.mjs";

/** Kysely's texts of writes. */
const WRITE = /^(insert|update|delete)(?: into| from)? "?(\w+)"?/;

/**
 * Watches the statements of one connection and makes every COMMIT two points, before and after, named by what it makes durable.
 * @returns {(sql: string, run: () => unknown) => unknown}
 */
export function commitPoints() {
  /** @type {Set<string>} */
  let writes = new Set();
  return (sql, run) => {
    const text = sql.trimStart().toLowerCase();
    if (text.startsWith("begin")) writes = new Set();
    const write = WRITE.exec(text);
    if (write) writes.add(`${write[1]} ${write[2]}`);
    if (text !== "commit") return run();
    const name = `commit (${[...writes].sort().join(", ")})`;
    reach(`${name}: before`);
    const result = run();
    if (!(result instanceof Promise)) {
      reach(`${name}: after`);
      return result;
    }
    return result.then((value) => {
      reach(`${name}: after`);
      return value;
    });
  };
}
