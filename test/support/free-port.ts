import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of this machine that nobody listens on. Below those that systems hand out for outgoing connections (from 32768 on Linux, from
 * 49152 elsewhere), so that no connection of another test takes it before it is used.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer();
    const bound = await Promise.race([
      once(server.listen(port, "127.0.0.1"), "listening").then(() => true),
      once(server, "error").then(() => false),
    ]).catch(() => false);
    if (!bound) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
