/** Plain HTTP: one request of the client becomes one request on a connection of its own to the host that was checked. */
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import type { Answer, Checked } from "./gate.ts";
import { showTarget } from "./target.ts";

/** About the connection to the proxy, so not for the host; `host` is written anew. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

export async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  checked: Checked,
  idleTimeoutMs: number,
): Promise<void> {
  if (!checked.ok) return turnAway(incoming, outgoing, checked.answer);
  const passed = await checked.reach(incoming.socket);
  if (!passed.ok) return turnAway(incoming, outgoing, passed.answer);
  await exchange(incoming, outgoing, { ...checked, socket: passed.socket, idleTimeoutMs });
}

interface Route extends Extract<Checked, { ok: true }> {
  readonly socket: Socket;
  readonly idleTimeoutMs: number;
}

/** Resolves when the response has been sent or has failed; never rejects. */
function exchange(incoming: IncomingMessage, outgoing: ServerResponse, route: Route): Promise<void> {
  const { socket, target, idleTimeoutMs } = route;
  return new Promise((resolve) => {
    const giveUp = (): void => {
      socket.destroy();
      if (outgoing.headersSent) outgoing.destroy();
      else turnAway(incoming, outgoing, { status: 502, text: `${showTarget(target)}: the exchange broke off` });
      resolve();
    };
    outgoing.once("close", () => {
      socket.destroy();
      resolve();
    });
    if (outgoing.destroyed) return giveUp();
    let answered = false;
    const unlessAnswered = (): void => {
      if (!answered) giveUp();
    };
    const upstream = request({ ...requestHead(incoming, route), createConnection: () => socket, setHost: false });
    upstream.setTimeout(idleTimeoutMs, giveUp);
    upstream.on("error", unlessAnswered);
    upstream.once("close", unlessAnswered);
    upstream.once("response", (response) => {
      answered = true;
      try {
        outgoing.writeHead(response.statusCode ?? 502, response.statusMessage ?? "", endToEnd(response.rawHeaders));
      } catch {
        // The host sent what must not be passed on.
        return giveUp();
      }
      pipeline(response, outgoing, (error) => error && giveUp());
    });
    // A host may answer before it has read everything; that is no failure.
    pipeline(incoming, upstream, (error) => error && unlessAnswered());
  });
}

function requestHead(incoming: IncomingMessage, route: Route) {
  const { method = "GET", headers: given } = incoming;
  const headers = ["Host", hostHeader(route), ...endToEnd(incoming.rawHeaders), "Connection", "close"];
  if (given["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
  else if (given["content-length"] === undefined && WITH_BODY.has(method)) headers.push("Content-Length", "0");
  return { method, path: route.path, headers };
}

function hostHeader({ target }: Route): string {
  const text = showTarget(target);
  return target.port === 80 ? text.slice(0, -":80".length) : text;
}

/** Names and values in turn, as they came, without what is about the connection. Lengths always stay: they frame the body. */
function endToEnd(raw: readonly string[]): string[] {
  const pairs = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""] as const] : []));
  const named = pairs.filter(([name]) => name.toLowerCase() === "connection").flatMap(([, value]) => value.split(","));
  const dropped = new Set([...HOP_BY_HOP, ...named.map((token) => token.trim().toLowerCase())]);
  dropped.delete("content-length");
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

function turnAway(incoming: IncomingMessage, outgoing: ServerResponse, { status, text }: Answer): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const body = `${text}\n`;
  const type = "text/plain; charset=utf-8";
  // Closing spares both sides a body that nobody wants.
  const close = incoming.complete ? {} : { connection: "close" };
  outgoing.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body), ...close });
  outgoing.end(body);
  incoming.resume();
}
