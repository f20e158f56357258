/**
 * A model API on loopback that says what a script tells it to, in the words of four providers, streamed or whole. It counts
 * the tokens of every answer itself and keeps every request as it came.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { addTokens, countTokens, NO_TOKENS, type Script, type ScriptedError, stepFor, type Tokens } from "./script.ts";
import { anthropicWire } from "./wires/anthropic.ts";
import { chatWire } from "./wires/chat.ts";
import { geminiWire } from "./wires/gemini.ts";
import { responsesWire } from "./wires/responses.ts";
import type { Answer, Asked, Body, Wire, WireName } from "./wires/wire.ts";

export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly body: string;
  /** null: nothing that a model would answer (a list of models, a count of tokens, a probe). */
  readonly call: { readonly wire: WireName; readonly model: string; readonly turns: number } | null;
  /** Sent; 0: none was. */
  readonly status: number;
  /** Of an answer that was given to its end, as its wire can tell them; null: nothing is known to be owed. */
  readonly tokens: Tokens | null;
}

export interface ModelApi {
  /** Without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** In the order in which they came. */
  readonly seen: readonly SeenRequest[];
  /** Requests that a model would answer. */
  calls(): readonly SeenRequest[];
  /** Of all answers, as a bill would have them. */
  counted(): Tokens;
  play(script: Script): void;
  close(): Promise<void>;
}

export interface ModelApiOptions {
  /** Whoever brings another one gets a 401. */
  readonly key?: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Exchange {
  readonly wire: Wire;
  readonly asked: Asked;
  readonly answer: Answer;
  readonly seen: Mutable<SeenRequest>;
  readonly response: ServerResponse;
}

const WIRES: readonly Wire[] = [anthropicWire, responsesWire, chatWire, geminiWire];

export async function startModelApi(first: Script, { key }: ModelApiOptions = {}): Promise<ModelApi> {
  let script = first;
  let errors = new Map<ScriptedError, number>();
  const seen: Mutable<SeenRequest>[] = [];

  const isDue = (error: ScriptedError): boolean => {
    const given = errors.get(error) ?? 0;
    errors.set(error, given + 1);
    return error.times === undefined || given < error.times;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "", headers } = request;
    const entry: Mutable<SeenRequest> = { method, path, headers, body: "", call: null, status: 0, tokens: null };
    seen.push(entry);
    const raw = await bytesOf(request);
    entry.body = raw.toString("utf8");
    const { pathname } = new URL(path, "http://api");
    const body = parsed(entry.body);
    const found = WIRES.map((wire) => ({ wire, asked: wire.read(pathname, body) })).find(({ asked }) => asked !== null);
    const send = (status: number, value: unknown, extra: Readonly<Record<string, string>> = {}): void => {
      entry.status = status;
      response.writeHead(status, { "content-type": "application/json", ...extra }).end(JSON.stringify(value));
    };
    if (found?.asked == null) return send(...besides(pathname, raw.length));
    const { wire, asked } = found;
    entry.call = { wire: wire.name, model: asked.model, turns: asked.turns };
    if (key !== undefined && keyIn(path, headers) !== key) return send(401, wire.error(401, undefined, "wrong key"));
    const step = stepFor(script, asked);
    if (step.delayMs !== undefined) await sleep(step.delayMs);
    if (step.hang === "headers") return;
    if (step.cut === "start") {
      response.destroy();
      return;
    }
    if (step.error !== undefined && isDue(step.error)) {
      const { status, type, message = "scripted", headers: extra } = step.error;
      return send(status, wire.error(status, type, message), extra);
    }
    const tokens = wire.told(countTokens(step, raw.length));
    const answer: Answer = { id: String(seen.length), model: asked.model, step, tokens, body };
    const exchange: Exchange = { wire, asked, answer, seen: entry, response };
    return asked.isStreamed ? stream(exchange) : whole(exchange, send);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const calls = (): readonly SeenRequest[] => seen.filter(({ call }) => call !== null);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    calls,
    counted: () => calls().reduce((sum, { tokens }) => addTokens(sum, tokens ?? NO_TOKENS), NO_TOKENS),
    play(next) {
      script = next;
      errors = new Map();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function whole(exchange: Exchange, send: (status: number, value: unknown) => void): void {
  const { wire, answer, seen } = exchange;
  const { step, tokens } = answer;
  if (step.cut === "middle") cut(exchange, "application/json", '{"half');
  else if (step.hang === "body") begin(exchange, "application/json");
  else if (step.midError !== undefined) send(500, wire.error(500, step.midError.type, step.midError.message));
  else {
    seen.tokens = tokens;
    send(200, wire.whole(answer));
  }
}

async function stream(exchange: Exchange): Promise<void> {
  const { wire, answer, seen, response } = exchange;
  const { step, tokens } = answer;
  const chunks = wire.stream(answer);
  const middle = Math.ceil(chunks.length / 2);
  begin(exchange, "text/event-stream");
  if (step.hang === "body") return;
  if (step.midError !== undefined) {
    const { type, message, before } = step.midError;
    const said = before === true ? [] : chunks.slice(0, middle);
    response.end([...said, wire.midError(type, message)].join(""));
    return;
  }
  if (step.cut === "middle") return cut(exchange, "text/event-stream", chunks.slice(0, middle).join(""));
  for (const chunk of chunks.slice(0, -1)) {
    if (response.destroyed) return;
    response.write(chunk);
    if (step.slowMs !== undefined) await sleep(step.slowMs);
  }
  if (response.destroyed) return;
  seen.tokens = tokens;
  response.end(chunks.at(-1));
}

function begin({ seen, response }: Exchange, type: string): void {
  seen.status = 200;
  if (!response.headersSent) response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  response.flushHeaders();
}

function cut(exchange: Exchange, type: string, said: string): void {
  begin(exchange, type);
  exchange.response.write(said, () => exchange.response.destroy());
}

/** What clients ask besides: it costs nothing and is never scripted. */
function besides(path: string, bytes: number): readonly [number, unknown] {
  const count = Math.ceil(bytes / 4);
  if (path === "/") return [200, {}];
  if (path.endsWith("/models")) return [200, { object: "list", data: [], models: [] }];
  if (path.endsWith("/count_tokens")) return [200, { input_tokens: count }];
  if (path.endsWith(":countTokens")) return [200, { totalTokens: count }];
  return [404, { error: { message: `nothing is scripted at ${path}` } }];
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function parsed(text: string): Body {
  try {
    return (JSON.parse(text) ?? {}) as Body;
  } catch {
    return {};
  }
}

/** Wherever one of the wires carries it. */
function keyIn(path: string, headers: IncomingHttpHeaders): string | null {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const named = headers["x-api-key"] ?? headers["x-goog-api-key"];
  return bearer ?? (named === undefined ? null : String(named)) ?? new URL(path, "http://api").searchParams.get("key");
}
