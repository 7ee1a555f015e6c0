import { GatewayError } from "@trunkline/plugin-sdk";
import { claimSchema, inUseError } from "./postgres-claim.ts";
import { type PostgresOptions, PostgresSession } from "./postgres-session.ts";

/** Rejects when a gateway could not run on a schema: STORE_REFUSED without rights, STORE_IN_USE unless the one on it is known. */
export async function inspectPostgres(options: PostgresOptions, running: boolean): Promise<void> {
  const { address, schema } = options;
  const session = await PostgresSession.open(options, () => {});
  try {
    const [row] = await session.execute({
      sql: `select current_user as "user", current_setting('transaction_read_only') = 'on' as "readOnly",
          case when n.oid is null then has_database_privilege(current_database(), 'create')
            else has_schema_privilege(n.oid, 'usage') and has_schema_privilege(n.oid, 'create') end as allowed,
          n.oid is not null as there
        from (select 1) as one left join pg_namespace as n on n.nspname = $1`,
      parameters: [schema],
    });
    const { user, readOnly, allowed, there } = row as unknown as { user: string; readOnly: boolean; allowed: boolean; there: boolean };
    const refuse = (reason: string, hint: string): GatewayError =>
      new GatewayError("STORE_REFUSED", { detail: { path: address.name, reason }, hint });
    if (readOnly)
      throw refuse("the server only reads", "It is a standby, or default_transaction_read_only is on. Name the one that writes.");
    if (!allowed) {
      const grant = there ? `grant usage, create on schema ${schema}` : `grant create on database ${address.database}`;
      throw refuse(`${user} has no right to make the tables`, `Run as an administrator: ${grant} to ${user}`);
    }
    // The claim goes away with the session.
    if (!running && !(await claimSchema(session, schema))) throw await inUseError(session, schema, address.name);
  } finally {
    await session.end();
  }
}
