import { Worker } from "node:worker_threads";
import { sqliteForThread } from "./sqlite-library.ts";

/** Runs on the thread: a text, since the program is a bundle in one place and TypeScript in another. */
const COPY = `
const { workerData } = require("node:worker_threads");
process.emitWarning = () => {};
const { DatabaseSync } = workerData.library === null ? process.getBuiltinModule("node:sqlite") : require(workerData.library);
const database = new DatabaseSync(workerData.path, { readOnly: true });
database.prepare("vacuum into ?").run(workerData.target);
database.close();
`;

/**
 * Copies the database at `path` into the empty file `target` on a thread of its own: a gateway that goes on meanwhile would stand still
 * for about a second per 100 MB. Rejects with the driver's error.
 */
export async function vacuumOnThread(path: string, target: string): Promise<void> {
  const library = sqliteForThread();
  await new Promise<void>((resolve, reject) => {
    const worker = new Worker(COPY, { eval: true, workerData: { library, path, target } });
    worker.once("error", reject);
    worker.once("exit", (code) => (code === 0 ? resolve() : reject(new RangeError(`the copying thread ended with ${code}`))));
  });
}
