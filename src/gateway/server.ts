/** The gateway: a server on loopback that lets calls to models through for who holds a token, and meters them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pawlError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { visibleLine } from "../base/visible.ts";
import { GATEWAY_ERRORS } from "../ports/errors/gateway-errors.ts";
import type { ModelRefusal, ModelUse } from "../ports/models/model-access.ts";
import { type Address, addressOf } from "./address.ts";
import { answerCall, type CallParts, settleLoose } from "./call.ts";
import type { ModelCall } from "./exchange.ts";
import { createGrants, type Grant, type OpenGrant } from "./grants.ts";
import { createHope } from "./hope.ts";
import { refuse } from "./http/answer.ts";
import { readWhole } from "./http/body.ts";
import { isOwnHost, tokensIn, towardsClient, towardsProvider } from "./http/headers.ts";
import { refusalFor } from "./refusals.ts";
import type { Upstream } from "./upstream.ts";
import { objectIn } from "./wires/members.ts";
import type { RequestReading } from "./wires/wire.ts";

export interface GatewayOptions extends Omit<CallParts, "send" | "mostAnswerBytes"> {
  readonly upstream: Upstream;
  readonly mostRequestBytes?: number;
  readonly mostAnswerBytes?: number;
  readonly random?: (count: number) => Uint8Array;
}

export interface GrantDoor {
  readonly token: string;
  /** What it has used so far. */
  use(): ModelUse;
  /** As a ModelDoor has them. */
  lastRefusal(): ModelRefusal | null;
  readonly hopeless: Promise<ModelRefusal>;
  /** The token is good no more; resolves when every call under way is settled. Rejects when the ledger does not take that. Idempotent. */
  close(): Promise<ModelUse>;
}

export interface Gateway {
  /** Loopback only. `port` 0: any that is free. Resolves to its address. Rejects with GATEWAY_LISTEN_FAILED. */
  listen(port: number): Promise<string>;
  /** `bind`: makes a server listen at a unix socket, and says where. */
  listenAt(bind: (server: Server) => Promise<string>): Promise<string>;
  open(grant: Grant): GrantDoor;
  /** Ends every grant, connection and listener. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
const LOOPBACK = "127.0.0.1";

interface Inside extends CallParts {
  readonly upstream: Upstream;
  readonly mostRequestBytes: number;
  readonly findGrant: (tokens: readonly string[]) => OpenGrant | null;
}

export function createGateway(options: GatewayOptions): Gateway {
  const grants = createGrants(options.random);
  const inside: Inside = {
    ...options,
    send: options.upstream.send,
    mostRequestBytes: options.mostRequestBytes ?? 32 * MIB,
    mostAnswerBytes: options.mostAnswerBytes ?? 64 * MIB,
    findGrant: grants.find,
  };
  const servers: Server[] = [];
  const doors = new Set<GrantDoor>();
  const newServer = (): Server => {
    // A connection that is ended at the instant a client writes to it costs the client its call, so it is left to the client.
    const server = createServer({ requestTimeout: 0, headersTimeout: 20_000, keepAliveTimeout: 0 });
    server.on("request", (request, response) => void handle(inside, request, response));
    servers.push(server);
    return server;
  };
  return {
    async listen(port) {
      const server = newServer();
      await new Promise<void>((resolve, reject) => {
        server.once("error", (error: NodeJS.ErrnoException) => {
          const data = { place: `${LOOPBACK}:${port}`, problem: error.code ?? error.message };
          reject(pawlError(GATEWAY_ERRORS, "GATEWAY_LISTEN_FAILED", data, { cause: error }));
        });
        server.listen({ port, host: LOOPBACK }, resolve);
      });
      return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
    },
    listenAt: (bind) => bind(newServer()),
    open(grant) {
      const door = doorOf(
        grants.open(grant, createHope(options.clock)),
        (open) => grants.close(open),
        (open) => settleLoose(options, open),
      );
      doors.add(door);
      return door;
    },
    async close() {
      // Whoever has the door is told what went wrong with it.
      await Promise.allSettled([...doors].map((door) => door.close()));
      await Promise.all(servers.map(closeServer));
      options.upstream.close();
    },
  };
}

function doorOf(
  { token, open }: { token: string; open: OpenGrant },
  end: (open: OpenGrant) => void,
  settle: (open: OpenGrant) => Promise<void>,
): GrantDoor {
  const use = (): ModelUse => ({
    usage: open.usage,
    calls: open.calls,
    refused: open.refused,
    missed: open.missed,
    parkedUntil: open.hope.parkedUntil(),
  });
  const close = async (): Promise<ModelUse> => {
    end(open);
    while (open.underWay.size > 0) await Promise.allSettled([...open.underWay]);
    await settle(open);
    return use();
  };
  let closed: Promise<ModelUse> | undefined;
  return {
    token,
    use,
    lastRefusal: open.hope.lastRefusal,
    hopeless: open.hope.gone,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** What was asked for, taken apart: a path of ours is never a whole address. */
interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Nothing a client sends may end the process: a defect costs one answer. */
async function handle(inside: Inside, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on("error", () => undefined);
  request.on("error", () => undefined);
  const [path = "", search = ""] = (request.url ?? "").split(/\?(.*)/s);
  const place: Place = { path, query: new URLSearchParams(search) };
  const address = addressOf(request.method ?? "", path, request.headers);
  try {
    await admit(inside, request, response, place, address);
  } catch (error) {
    const detail = inside.redact(error instanceof Error ? error.message : String(error));
    refuse(response, address.wire, refusalFor("GATEWAY_UPSTREAM_FAILED", { provider: "the gateway", detail }));
  } finally {
    // What is left of a body that nobody wants.
    request.resume();
  }
}

async function admit(
  inside: Inside,
  request: IncomingMessage,
  response: ServerResponse,
  { path, query }: Place,
  address: Address,
): Promise<void> {
  const { wire } = address;
  const { host } = request.headers;
  if (!isOwnHost(host))
    return refuse(response, wire, refusalFor("GATEWAY_HOST_DENIED", { host: visibleLine(host ?? "nobody", 100) }));
  const open = inside.findGrant(tokensIn(request.headers, query));
  if (open === null) return refuse(response, wire, refusalFor("GATEWAY_TOKEN_UNKNOWN", {}));
  if (address.kind === "none")
    return refuse(response, wire, refusalFor("GATEWAY_ROUTE_UNKNOWN", { path: visibleLine(path, 100) }));
  const bytes = await readWhole(request, inside.mostRequestBytes, "passed_over");
  if (bytes === null)
    return refuse(response, wire, refusalFor("GATEWAY_REQUEST_TOO_LARGE", { mostBytes: inside.mostRequestBytes }));
  // A body may come for long, and the grant be closed meanwhile.
  if (open.over.signal.aborted) return refuse(response, wire, refusalFor("GATEWAY_TOKEN_UNKNOWN", {}));
  query.delete("key");
  const way = query.size === 0 ? path : `${path}?${query}`;
  const work = answer(inside, { request, response, address, open, path: way, bytes });
  open.underWay.add(work);
  await work.finally(() => open.underWay.delete(work));
}

interface Admitted {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: Exclude<Address, { kind: "none" }>;
  readonly open: OpenGrant;
  readonly path: string;
  readonly bytes: Buffer;
}

async function answer(inside: Inside, admitted: Admitted): Promise<void> {
  const { request, response, address, open, path, bytes } = admitted;
  if (address.kind === "free") return passFree(inside, admitted);
  const call = readCall(address, { path, bytes, headers: towardsProvider(request.headers) }, request);
  if (typeof call === "string")
    return refuse(response, address.wire, refusalFor("GATEWAY_REQUEST_UNFIT", { problem: call }));
  return answerCall(inside, open, call, response);
}

/** A sentence when it cannot be metered. */
function readCall(
  address: Extract<Address, { kind: "call" }>,
  sent: Pick<ModelCall, "path" | "bytes" | "headers">,
  { headers }: IncomingMessage,
): ModelCall | string {
  const { wire } = address;
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") return `its body is compressed (${visibleLine(encoding, 40)})`;
  const body = parsed(sent.bytes);
  if (body === null) return "its body is not a JSON object";
  const reading = readRequest(address, body);
  if (!reading.ok) return reading.problem;
  const { facts } = reading;
  const asked = wire.askForUsage?.(body) ?? null;
  if (asked === null) return { wire, ...sent, body, facts };
  const bytes = Buffer.from(JSON.stringify(asked.body));
  return { wire, ...sent, body: asked.body, bytes, facts, isHidden: asked.isAdded };
}

/** What is nested too deeply cannot be walked. */
function readRequest(address: Extract<Address, { kind: "call" }>, body: JsonObject): RequestReading {
  try {
    return address.wire.readRequest(body, address);
  } catch {
    return { ok: false, problem: "it cannot be read" };
  }
}

function parsed(bytes: Buffer): JsonObject | null {
  try {
    return objectIn(JSON.parse(bytes.toString("utf8")));
  } catch {
    return null;
  }
}

async function passFree(inside: Inside, { request, response, address, open, path, bytes }: Admitted): Promise<void> {
  const { wire } = address;
  const { provider } = wire;
  if (open.grant.providers?.includes(provider) === false)
    return refuse(response, wire, refusalFor("GATEWAY_PROVIDER_DENIED", { provider }));
  if (open.grant.traffic?.kind === "replay")
    return refuse(response, wire, refusalFor("GATEWAY_ROUTE_UNKNOWN", { path: `${request.url} in a replay` }));
  if (!inside.hasKey(provider)) return refuse(response, wire, refusalFor("GATEWAY_KEY_MISSING", { provider }));
  const headers = towardsProvider(request.headers);
  const method = request.method === "GET" ? "GET" : "POST";
  const sent = { method, path, headers, bytes: method === "GET" ? null : bytes } as const;
  const answer = await inside.upstream.pass(provider, sent, open.over.signal);
  const whole = await readWhole(answer.body, inside.mostAnswerBytes);
  const text = Buffer.from(inside.redact((whole ?? Buffer.alloc(0)).toString("utf8")));
  response.writeHead(answer.status, {
    ...towardsClient(answer.headers, inside.redact),
    "content-length": text.length,
  });
  response.end(text);
}
