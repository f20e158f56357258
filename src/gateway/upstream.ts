/** Upstream: one try at one provider, over connections that stay open. The key is put in here and nowhere else. */
import type { Dispatcher } from "undici";
import type { Candidate, ModelCall, ProviderAnswer, Send } from "./exchange.ts";
import { UpstreamError } from "./exchange.ts";
import { plainBody } from "./http/body.ts";
import type { Headers } from "./http/headers.ts";
import { type NoAnswer, sendRequest } from "./http/send-request.ts";
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

/**
 * Between two calls, where the provider does not say how long it keeps a connection. Many end one after five seconds: what is sent at that
 * instant may have been received, and is charged. Another connection takes much less time than a model.
 */
const KEPT_MS = 4000;
/** So long before that nothing is sent any more: what a provider closes at that instant may have been received, and is charged. */
const WARNED_MS = 1000;

export function createUpstream({ providers, keys, idleMs }: UpstreamOptions): Upstream {
  let agent: Promise<Dispatcher> | undefined;
  /** Read when the first call is made: most processes make none. */
  const openAgent = async (): Promise<Dispatcher> => {
    const { Agent } = await import("undici");
    return new Agent({
      ...{ headersTimeout: idleMs, bodyTimeout: idleMs, connect: { timeout: idleMs } },
      ...{ keepAliveTimeout: KEPT_MS, keepAliveTimeoutThreshold: WARNED_MS },
    });
  };

  const pass: Upstream["pass"] = async (name, { method, path, headers, bytes }, signal) => {
    const provider = providers[name];
    if (provider === undefined) throw new UpstreamError(`there is no provider ${name}`, false);
    const own = { ...headers, ...keyHeader(provider, keys.get(name)), "accept-encoding": "identity" };
    const request = { url: new URL(provider.baseUrl + path), method, headers: own, bytes };
    agent ??= openAgent();
    try {
      const answer = await sendRequest(await agent, request, signal);
      return { ...answer, body: plainBody(answer.body, answer.headers["content-encoding"]) };
    } catch (thrown) {
      const { error, wasSent } = thrown as NoAnswer;
      throw new UpstreamError(SILENT.has(error.code) ? `no byte came for ${idleMs} ms` : textOf(error), wasSent);
    }
  };

  return {
    pass,
    async send(call, candidate, signal) {
      const { path, bytes } = withCandidate(call, candidate);
      const answer = await pass(candidate.provider, { method: "POST", path, headers: call.headers, bytes }, signal);
      return { ...answer, candidate };
    },
    close() {
      agent?.then((open) => open.destroy()).catch(() => undefined);
    },
  };
}

const SILENT: ReadonlySet<string | undefined> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** Codes of the system say more than their messages; those of the library say less. */
function textOf({ code, message }: NodeJS.ErrnoException): string {
  return code === undefined || String(code).startsWith("UND_ERR") ? message : String(code);
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
