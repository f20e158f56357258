/** A client of the broker that sends exactly the bytes it is told to, and servers for it to reach. */

import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Sends the bytes and reads until the other side ends, or until `isEnough`. */
export function exchange(
  socketPath: string,
  bytes: string | Uint8Array,
  isEnough: (answer: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketPath });
    let answer = "";
    const done = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(8000, () => socket.destroy(new Error(`no end after: ${answer}`)));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "EPIPE" || error.code === "ECONNRESET" ? done() : reject(error),
    );
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
      if (isEnough(answer)) done();
    });
    socket.on("close", () => resolve(answer));
    socket.write(bytes);
  });
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1] ?? 0);
const isAnswered = (answer: string): boolean => answer.includes("\r\n\r\n");

/** The status of `CONNECT <authority>`. */
export async function connectStatus(socketPath: string, authority: string | Uint8Array): Promise<number> {
  const bytes = Buffer.concat([
    Buffer.from("CONNECT "),
    Buffer.from(authority as string),
    Buffer.from(" HTTP/1.1\r\nHost: x\r\n\r\n"),
  ]);
  return statusOf(await exchange(socketPath, bytes, isAnswered));
}

/** The whole answer to `GET <url>` on a connection that is closed afterwards. */
export function get(socketPath: string, url: string, headers = ""): Promise<string> {
  return exchange(socketPath, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
}

/** An open tunnel. */
export async function openTunnel(socketPath: string, authority: string): Promise<Socket> {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`);
  let answer = "";
  while (!isAnswered(answer)) answer += String(await nextChunk(socket));
  if (statusOf(answer) !== 200) throw new Error(answer);
  return socket;
}

export function nextChunk(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error("the connection ended"));
    socket.once("close", ended);
    socket.once("data", (chunk: Buffer) => {
      socket.off("close", ended);
      socket.pause();
      resolve(chunk);
    });
    socket.resume();
  });
}

export interface Seen {
  readonly port: number;
  readonly requests: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage["rawHeaders"];
  }[];
  readonly bodies: string[];
}

/** A web server on this machine that says `hello from <name>` and remembers what it was asked. */
export async function webServer(name: string, address = "127.0.0.1"): Promise<Seen> {
  const seen: Omit<Seen, "port"> = { requests: [], bodies: [] };
  const server = createHttpServer((request, response) => {
    seen.requests.push({ method: request.method ?? "", url: request.url ?? "", headers: request.rawHeaders });
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      seen.bodies.push(body);
      response.setHeader("Keep-Alive", "timeout=99");
      response.end(`hello from ${name}`);
    });
  });
  return { port: await listening(server, address), ...seen };
}

/** A server that gives back every byte, and says how many connections it has. */
export async function echoServer(address = "127.0.0.1"): Promise<{ readonly port: number; open(): number }> {
  let open = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open += 1;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      open -= 1;
    });
    socket.pipe(socket);
  });
  return { port: await listening(server, address), open: () => open };
}

function listening(server: Server, address: string): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, address, () => resolve((server.address() as { port: number }).port));
  });
}
