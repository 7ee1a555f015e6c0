import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type PostgresServer, startPostgres } from "../store/databases.ts";

let server: PostgresServer | undefined;
const urls = new Map<string, Promise<string>>();

/** `store.url` of a story whose gateway has its data in this folder; the same at every start of it. */
export function storeUrlOf(folder: string): Promise<string> {
  if (server === undefined) return Promise.resolve(`sqlite:${join(folder, "trunkline.db")}`);
  const known = urls.get(folder) ?? server.createDatabase();
  urls.set(folder, known);
  return known;
}

/** Puts the stories of this file on a PostgreSQL server, each in a database of its own. Without this they are on SQLite. */
export function storiesOnPostgres(): void {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    server = undefined;
  }, 60_000);
}
