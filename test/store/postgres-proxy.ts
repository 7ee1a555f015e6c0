import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where the proxy cuts a connection, once. */
export type Cut =
  /** The server never hears of the COMMIT. */
  | "before-commit"
  /** The server has committed, and its answer is lost. */
  | "after-commit"
  /** The client's end is gone at a COMMIT that never went out, and the server does not know: its session lives on. */
  | "half-open";

/** A wire between a store and PostgreSQL that can be cut at a known place of the conversation. */
export interface PostgresProxy {
  readonly url: string;
  /** Cuts at the next COMMIT. */
  cutAt(cut: Cut): void;
  /** From now on the server's process number reads as another one of the same length. */
  disguise(pid: number): void;
  /** Cuts that took place. */
  readonly cuts: number;
  /** Takes the wire away; a store that connects is refused. */
  close(): Promise<void>;
  /** Puts it back at the same address. */
  reopen(): Promise<void>;
}

/** Stands in front of the server of `url`. The conversation is not encrypted, and a simple query is one packet of ours. */
export async function postgresProxy(url: string): Promise<PostgresProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let armed: Cut | undefined;
  let cuts = 0;
  let hidden: number | undefined;
  const seen = (data: Buffer): Buffer => {
    if (hidden === undefined) return data;
    const own = String(hidden);
    return Buffer.from(data.toString("latin1").replaceAll(own, own.replace(/./, own.startsWith("9") ? "8" : "9")), "latin1");
  };

  const fire = (cut: Cut, packet: Buffer, client: Socket, server: Socket): void => {
    armed = undefined;
    cuts += 1;
    if (cut === "before-commit") server.destroy();
    if (cut === "after-commit") {
      client.removeAllListeners("data");
      // Its answer means that it is done; nobody gets to hear it.
      server.removeAllListeners("data").once("data", () => {
        server.destroy();
        client.destroy();
      });
      server.write(packet);
      return;
    }
    client.removeAllListeners("close").destroy();
  };

  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
    server.on("data", (data) => client.write(seen(data)));
    client.on("data", (data: Buffer) => {
      if (armed !== undefined && data[0] === 0x51 && data.toString("latin1").endsWith("; commit\0"))
        return fire(armed, data, client, server);
      server.write(data);
    });
  });
  const listen = async (port: number): Promise<void> => {
    proxy.listen(port, "127.0.0.1");
    await once(proxy, "listening");
  };
  await listen(0);
  const { port } = proxy.address() as AddressInfo;
  const own = new URL(url);
  own.port = String(port);
  return {
    url: own.href,
    cutAt: (cut) => void (armed = cut),
    disguise: (pid) => void (hidden = pid),
    get cuts() {
      return cuts;
    },
    async close() {
      if (!proxy.listening) return;
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, "close");
    },
    reopen: () => listen(port),
  };
}
