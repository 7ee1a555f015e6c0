// @ts-check

/**
 * A rule of the gateway that is taken away, as if it had never been written. It works on the statements, so the gateway needs no switch.
 * @typedef {object} SeededFault
 * @property {(sql: string) => string} rewrite Changes a statement before it is prepared.
 * @property {(sql: string, parameters: readonly unknown[], run: () => unknown) => unknown} run Runs a statement, or pretends to.
 */

/** @type {Readonly<Record<string, Partial<SeededFault>>>} */
const FAULTS = {
  /** A part is never marked as being sent: after a crash it looks as if it had not been. */
  "no sending state": {
    rewrite: (sql) => (sql.startsWith('insert into "outbox"') ? sql.replace(/else 'sending' end/, "else 'pending' end") : sql),
    run: (sql, parameters, run) => (sql.startsWith('update "outbox" set "state" = ?') && parameters[0] === "sending" ? [] : run()),
  },
  /** A message that comes again is taken again. */
  "no unique claim": {
    rewrite(sql) {
      if (sql.startsWith("create unique index inbox_event")) return sql.replace("unique ", "");
      return sql.startsWith('insert into "inbox"') ? sql.replace(/ on conflict .* returning /s, " returning ") : sql;
    },
  },
  /** What a turn did before it was cut is forgotten. */
  "no step journal": {
    run: (sql, _parameters, run) => (/^select .* from "steps"/.test(sql) ? [] : run()),
  },
  /** Nobody writes down that a tool is about to run. */
  "no durable intention": {
    run: (sql, parameters, run) => (sql.startsWith('insert into "steps"') && parameters.includes("intended") ? [] : run()),
  },
};

/** @param {string | undefined} name none for a gateway as it is @returns {SeededFault} */
export function seededFault(name) {
  const fault = name === undefined ? {} : FAULTS[name];
  if (fault === undefined) throw new RangeError(`there is no fault "${name}"; there are ${Object.keys(FAULTS).join(", ")}`);
  return { rewrite: (sql) => sql, run: (_sql, _parameters, run) => run(), ...fault };
}
