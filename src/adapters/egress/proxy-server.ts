/** The HTTP proxy of one enclosure. Every request on every connection passes the gate, however it came there. */
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { forward } from "./forward.ts";
import type { Gate } from "./gate.ts";
import type { EgressLimits } from "./limits.ts";
import { readForward, readTunnel, refusalOf } from "./target.ts";
import { tunnel } from "./tunnel.ts";

export interface ProxyServer {
  readonly server: Server;
  /** Ends every connection and the listener. */
  close(): Promise<void>;
}

/** Requests that one connection may send ahead of their answers. */
const MAX_AHEAD = 16;
const STATUS_OF: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

export function createProxyServer(gate: Gate, limits: EgressLimits): ProxyServer {
  const { idleTimeoutMs } = limits;
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headerTimeoutMs,
    // A body may take as long as it moves.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1000, limits.headerTimeoutMs),
  });
  server.maxConnections = limits.connections;
  server.timeout = idleTimeoutMs;
  const clients = new Set<Socket>();
  const queue = createQueue();

  server.on("connection", (client: Socket) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
  });
  server.on("request", (incoming, outgoing) => {
    outgoing.on("error", () => undefined);
    const checked = gate.check(readForward(incoming.method ?? "", incoming.url ?? ""));
    queue(incoming.socket, () => forward(incoming, outgoing, checked, idleTimeoutMs));
  });
  server.on("connect", (incoming, client: Socket, head) => {
    client.on("error", () => undefined);
    const checked = gate.check(readTunnel(incoming.url ?? ""));
    queue(client, () => tunnel(client, head, checked, idleTimeoutMs));
  });
  server.on("clientError", (error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, client) => {
    const named = error.rawPacket?.subarray(0, 300).toString("latin1");
    const target = /^[A-Z]{3,10} ([^ ]+)/.exec(named ?? "")?.[1];
    if (target !== undefined) gate.refuse(refusalOf(target, 0, "its request cannot be read"));
    if (client.writable)
      client.end(`HTTP/1.1 ${STATUS_OF[error.code ?? ""] ?? "400 Bad Request"}\r\nConnection: close\r\n\r\n`);
    client.destroy();
  });
  return {
    server,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}

/** One request after the other on each connection: so there are never more connections out than in. */
function createQueue(): (client: Socket, work: () => Promise<void>) => void {
  const lines = new WeakMap<Socket, { ahead: number; last: Promise<void> }>();
  return (client, work) => {
    const line = lines.get(client) ?? { ahead: 0, last: Promise.resolve() };
    lines.set(client, line);
    line.ahead += 1;
    if (line.ahead > MAX_AHEAD) return void client.destroy();
    line.last = line.last
      .then(() => (client.destroyed ? undefined : work()))
      // A defect here must cost one connection, not the process.
      .catch(() => void client.destroy())
      .finally(() => {
        line.ahead -= 1;
      });
  };
}
