import { acceptInbound } from "../../../packages/core/src/store/inbox.ts";
import { openStore } from "../../../packages/core/src/store/open.ts";
import { insertParts } from "../../../packages/core/src/store/outbox.ts";
import { systemClock } from "../../../packages/plugin-sdk/src/index.ts";
import { inbound, part } from "../samples.ts";

// Accepts messages without end and prints the id of each one as soon as the store says that it is durable.
const [url = "", schema = "", first = "1"] = process.argv.slice(2);
const store = await openStore({ url, clock: systemClock, ...(schema === "" ? {} : { schema }) });

async function writeFrom(start: number, step: number): Promise<never> {
  for (let n = start; ; n += step) {
    const row = inbound(n);
    await store.write(async (tx) => {
      const { seq } = await acceptInbound(tx, row);
      await insertParts(tx, [part(n, { seq })]);
    }, "durable");
    process.stdout.write(`${row.id}\n`);
  }
}

const WRITERS = 8;
await Promise.all(Array.from({ length: WRITERS }, (_, i) => writeFrom(Number(first) + i, WRITERS)));
