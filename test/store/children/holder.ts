import { acquireInstanceLock } from "../../../packages/core/src/store/instance-lock.ts";

// Takes the lock of a data folder, says so, and lives until it is killed.
await acquireInstanceLock(process.argv[2] ?? "");
process.stdout.write("locked\n");
setInterval(() => {}, 60_000);
