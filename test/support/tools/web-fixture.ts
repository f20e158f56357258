/** A small internet on the addresses of this machine: one of them stands for the public part, all others must stay untouched. */
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from "node:net";
import { onTestFinished } from "vitest";
import { isPublic } from "../../../src/base/net/address.ts";
import { OPEN_INTERNET, type WebNetwork } from "../../../src/harness/tools/web/guard.ts";

/** Counts as public in this internet. */
export const PUBLIC = "127.0.0.9";

export interface Victim {
  readonly port: number;
  /** How many have connected, and how many bytes they have sent. */
  seen(): { readonly connections: number; readonly bytes: number };
}

/** Listens on every address of this machine but the public one. */
export async function startVictim(): Promise<Victim> {
  let connections = 0;
  let bytes = 0;
  const server = createSocketServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret");
    });
  });
  const port = await listening(server, "::");
  return { port, seen: () => ({ connections, bytes }) };
}

/** A server of the public part; resolves to its port. */
export async function startSite(answer: RequestListener): Promise<number> {
  return listening(createServer(answer), PUBLIC);
}

async function listening(server: Server | SocketServer, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  if ("closeAllConnections" in server) onTestFinished(() => server.closeAllConnections());
  return (server.address() as AddressInfo).port;
}

export interface StubInternet extends WebNetwork {
  /** Addresses that a socket was asked to go to, and names that were looked up. */
  readonly dialled: string[];
}

/** `names`: the addresses of each name, one list for each time it is asked for; the last one stays. */
export function internetOf(names: Readonly<Record<string, readonly (readonly string[])[]>>): StubInternet {
  const asked = new Map<string, number>();
  const dialled: string[] = [];
  return {
    dialled,
    async resolve(name) {
      const times = asked.get(name) ?? 0;
      asked.set(name, times + 1);
      const lists = names[name.replace(/\.$/, "")];
      const found = lists?.[Math.min(times, lists.length - 1)];
      if (found === undefined) throw new Error("ENOTFOUND");
      return found;
    },
    reaches: (address) => address === PUBLIC || isPublic(address),
    connector(undici, lookup) {
      const connect = OPEN_INTERNET.connector(undici, lookup);
      return (options, callback) => {
        dialled.push(options.hostname);
        connect(options, callback);
      };
    },
  };
}
