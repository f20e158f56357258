/** A provider on loopback that answers what a test tells it to, byte by byte, and keeps what it was asked. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

export interface FakeProvider {
  readonly url: string;
  readonly asked: readonly Asked[];
  reply(next: Reply): void;
}

export async function fakeProvider(first: Reply): Promise<FakeProvider> {
  const asked: Asked[] = [];
  let current = first;
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      asked.push(one);
      void current(one, response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    reply: (next) => {
      current = next;
    },
  };
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (_asked, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
}

/** `pieces`: written one after the other, each in a packet of its own as far as that can be done. */
export function stream(pieces: readonly (string | Buffer)[], end: "end" | "cut" = "end"): Reply {
  return async (_asked, response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (end === "end") response.end();
    else response.destroy();
  };
}
