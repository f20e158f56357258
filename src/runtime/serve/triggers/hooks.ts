/** Where loops with `webhook` are told that something happened: `POST /hooks/LOOP` on loopback, signed. What a delivery says is not read. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { resolve } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import type { Duty } from "../duties/duty.ts";
import { SERVE_ERRORS } from "../errors.ts";
import type { Firing } from "../firing.ts";
import type { Tell } from "../news.ts";
import { problemOf } from "../problem.ts";
import type { ServedLoop } from "../served-loop.ts";
import { SHORTEST_SECRET, signatureProblem } from "./signature.ts";

export interface HookParts {
  readonly root: string;
  readonly port: number;
  readonly firing: Firing;
  readonly now: () => number;
  readonly tell: Tell;
  readonly loops: () => ReadonlyMap<string, ServedLoop>;
}

export interface Hooks extends Duty {
  /** The loops were read anew: it listens when one of them wants that now. */
  reload(): Promise<void>;
  /** null: no loop wants one. */
  url(): string | null;
}

interface Answer {
  readonly status: number;
  readonly says: string;
}

const LOOPBACK = "127.0.0.1";
const MOST_BYTES = 1 << 20;
const PATIENCE_MS = 10_000;
const MOST_CONNECTIONS = 64;
const PATH = /^\/hooks\/([A-Za-z0-9._-]{1,128})$/;

export function createHooks(parts: HookParts): Hooks {
  let server: Server | null = null;
  let url: string | null = null;
  const wanted = (): boolean => [...parts.loops().values()].some(({ loop }) => loop.trigger?.kind === "webhook");
  let stopped = false;
  async function open(): Promise<void> {
    if (server !== null || stopped || !wanted()) return;
    const opened = createServer({ requestTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS });
    opened.on("request", (request, response) => void respond(parts, request, response));
    bound(opened);
    url = await listen(opened, parts.port);
    server = opened;
    // It was told to stop meanwhile.
    if (stopped) opened.close();
  }
  return {
    name: "hooks",
    start: open,
    reload: open,
    once: async () => false,
    async stop() {
      stopped = true;
      server?.closeAllConnections();
      await new Promise<void>((done) => (server === null ? done() : server.close(() => done())));
      server = null;
    },
    url: () => url,
  };
}

/** A connection is one delivery and soon over. Who keeps one open makes room for whoever comes: nobody is kept out by those who never finish. */
function bound(server: Server): void {
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    const [oldest] = open.size < MOST_CONNECTIONS ? [] : open;
    oldest?.destroy();
    open.add(socket);
    const late = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.once("close", () => {
      clearTimeout(late);
      open.delete(socket);
    });
  });
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((done, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const data = { place: `${LOOPBACK}:${port}`, problem: error.code ?? error.message };
      reject(pawlError(SERVE_ERRORS, "SERVE_LISTEN_FAILED", data, { cause: error }));
    });
    server.listen({ port, host: LOOPBACK }, done);
  });
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}

async function respond(parts: HookParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, says } = await answer(parts, request).catch((error: unknown): Answer => {
    parts.tell({ type: "serve.problem", ...problemOf(error) });
    return { status: 500, says: "try again" };
  });
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${says}\n`);
}

async function answer(parts: HookParts, request: IncomingMessage): Promise<Answer> {
  const refused = (status: number, says: string, loop: string | null): Answer => {
    parts.tell({ type: "delivery.refused", loop, why: says });
    return { status, says };
  };
  const name = PATH.exec(request.url ?? "")?.[1];
  const served = name === undefined ? undefined : parts.loops().get(name);
  if (served?.loop.trigger?.kind !== "webhook") return refused(404, "no loop listens here", null);
  const loop = served.loop.name;
  if (request.method !== "POST") return refused(405, "only POST is understood", loop);
  const body = await readBody(request);
  if (body === null) return refused(413, `it has more than ${MOST_BYTES} bytes`, loop);
  const secret = await readSecret(resolve(parts.root, served.loop.trigger.secretFile));
  if (secret === null) return refused(503, "its secret_file cannot be read, or is too short", loop);
  const header = (key: string): string => String(request.headers[key] ?? "");
  const delivery = header("x-pawl-delivery");
  const signed = { timestamp: header("x-pawl-timestamp"), delivery, signature: header("x-pawl-signature"), body };
  const problem = signatureProblem(signed, secret, parts.now());
  if (problem !== null) return refused(401, problem, loop);
  const isNew = await parts.firing.deliver(served, `delivery:${delivery}`);
  return isNew ? { status: 202, says: "accepted" } : { status: 200, says: "known" };
}

/** null: it is too long. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Read each time: it may be changed while loops are served. */
async function readSecret(file: string): Promise<string | null> {
  const text = await readFile(file, "utf8").catch(() => "");
  const secret = text.trim();
  return secret.length < SHORTEST_SECRET ? null : secret;
}
