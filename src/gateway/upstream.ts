/** Upstream: one try at one provider, over connections that stay open. The key is put in here and nowhere else. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Candidate, ModelCall, ProviderAnswer, Send } from "./exchange.ts";
import { UpstreamError } from "./exchange.ts";
import { plainBody } from "./http/body.ts";
import type { Headers } from "./http/headers.ts";
import type { Provider } from "./providers.ts";

export interface UpstreamOptions {
  readonly providers: Readonly<Record<string, Provider>>;
  /** Keys by provider. */
  readonly keys: ReadonlyMap<string, string>;
  /** Without a byte. */
  readonly idleMs: number;
}

export interface PassedRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Headers;
  readonly bytes: Buffer | null;
}

export interface Upstream {
  readonly send: Send;
  /** A request that is not billed. */
  pass(provider: string, request: PassedRequest, signal: AbortSignal): Promise<Omit<ProviderAnswer, "candidate">>;
  close(): void;
}

/** Errors from before a request could have been sent. */
const NEVER_SENT: ReadonlySet<string | undefined> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"],
  ...[
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ],
]);

export function createUpstream({ providers, keys, idleMs }: UpstreamOptions): Upstream {
  const agents = {
    "http:": new HttpAgent({ keepAlive: true, maxFreeSockets: 64 }),
    "https:": new HttpsAgent({ keepAlive: true, maxFreeSockets: 64 }),
  };

  const pass: Upstream["pass"] = (name, { method, path, headers, bytes }, signal) => {
    const provider = providers[name];
    if (provider === undefined) return Promise.reject(new UpstreamError(`there is no provider ${name}`, false));
    const url = new URL(provider.baseUrl + path);
    const isPlain = url.protocol === "http:";
    return new Promise((resolve, reject) => {
      const request = (isPlain ? httpRequest : httpsRequest)(url, {
        method,
        agent: agents[isPlain ? "http:" : "https:"],
        signal,
        headers: {
          ...headers,
          ...keyHeader(provider, keys.get(name)),
          "accept-encoding": "identity",
          ...(bytes === null ? {} : { "content-length": bytes.length }),
        },
      });
      let hasConnected = false;
      request.on("socket", (socket) => {
        hasConnected = !socket.connecting;
        if (hasConnected) return;
        socket.once(isPlain ? "connect" : "secureConnect", () => {
          hasConnected = true;
        });
      });
      request.setTimeout(idleMs, () => request.destroy(new Error(`no byte came for ${idleMs} ms`)));
      request.once("response", (message) => resolve(answerOf(message)));
      request.once("error", (error: NodeJS.ErrnoException) => {
        reject(new UpstreamError(error.code ?? error.message, hasConnected && !NEVER_SENT.has(error.code)));
      });
      request.end(bytes ?? undefined);
    });
  };

  return {
    pass,
    async send(call, candidate, signal) {
      const { path, bytes } = withCandidate(call, candidate);
      const answer = await pass(candidate.provider, { method: "POST", path, headers: call.headers, bytes }, signal);
      return { ...answer, candidate };
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function answerOf(message: IncomingMessage): Omit<ProviderAnswer, "candidate"> {
  const body = plainBody(message, message.headers["content-encoding"]);
  return { status: message.statusCode ?? 0, headers: message.headers, body };
}

function keyHeader({ auth }: Provider, key: string | undefined): Headers {
  if (key === undefined) return {};
  return { [auth]: auth === "authorization" ? `Bearer ${key}` : key };
}

/** The request of this candidate: exactly what came, unless it is another model or needs other members. */
function withCandidate(call: ModelCall, { model, changes }: Candidate): { path: string; bytes: Buffer } {
  const { path, body, bytes, facts, wire } = call;
  const isOther = model !== facts.model;
  if (!isOther && changes === undefined) return { path, bytes };
  if (wire.name === "gemini") {
    const way = isOther ? path.replace(/\/models\/[^/?]+:(\w+)/, (_, verb) => `/models/${model}:${verb}`) : path;
    return { path: way, bytes: changes === undefined ? bytes : Buffer.from(JSON.stringify({ ...body, ...changes })) };
  }
  return { path, bytes: Buffer.from(JSON.stringify({ ...body, ...changes, model })) };
}
