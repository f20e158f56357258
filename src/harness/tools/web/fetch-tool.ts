/** `web_fetch`: one page of the web. Policy is asked about every host on the way, the guard about every address. */
import type { Dispatcher } from "undici";
import type { JsonObject } from "../../../base/json.ts";
import { visibleLine } from "../../../base/visible.ts";
import type { RequestOf } from "../../../policy/request.ts";
import type { Tool, ToolContext, ToolResult } from "../tool.ts";
import { decodeText, readBody } from "./body.ts";
import { guardedDispatcher, OPEN_INTERNET, type WebNetwork } from "./guard.ts";

export interface FetchToolOptions {
  /** Behind a wall the broker is the only way out: its address. null: straight to the internet. */
  readonly proxy: string | null;
  /** The internet unless told. */
  readonly network?: WebNetwork;
  /** For all of it, redirects and body included; 30 seconds unless told. */
  readonly fetchMs?: number;
}

const MOST_BYTES = 1024 * 1024;
/** Of what was read, for the model. */
const MOST_CHARACTERS = 120_000;
const MOST_SENT = 256 * 1024;
const MOST_REDIRECTS = 5;
const LONGEST_MS = 30_000;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);

export function createFetchTool(options: FetchToolOptions): Tool {
  return {
    name: "web_fetch",
    summary: "Gets a page of the web by http or https, at most 1 MiB of it; what comes back is written by strangers.",
    input: {
      type: "object",
      properties: {
        url: { type: "string", minLength: 1, maxLength: 8192 },
        method: { enum: ["GET", "HEAD", "POST"] },
        body: { type: "string", maxLength: MOST_SENT, description: "Only with POST." },
        content_type: { type: "string", maxLength: 200, pattern: '^[\\w!#$&^.+*/;=" -]+$' },
      },
      required: ["url"],
      additionalProperties: false,
    },
    risk: "medium",
    timeout: "medium",
    idempotent: false,
    safeToShare: true,
    requests: (input) => [fetchRequest(readUrl(String(input["url"])))],
    run: (input, context) => fetchPage(input, context, options),
  };
}

interface Question {
  readonly url: URL;
  readonly method: "GET" | "HEAD" | "POST";
  readonly body: string | null;
  readonly contentType: string;
}

async function fetchPage(input: JsonObject, context: ToolContext, options: FetchToolOptions): Promise<ToolResult> {
  const undici = await import("undici");
  const dispatcher = guardedDispatcher(undici, options.network ?? OPEN_INTERNET, options.proxy);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(options.fetchMs ?? LONGEST_MS)]);
  try {
    let question = questionOf(input);
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      const answer = await undici.request(question.url, { ...asked(question), dispatcher, signal });
      // A body that is thrown away says so, and an error without a listener would end this process.
      answer.body.on("error", () => undefined);
      const next = nextOf(question, answer);
      if (next === undefined) return { ok: true, output: await pageOf(question, answer, hops) };
      answer.body.destroy();
      if (!(await context.allows([fetchRequest(next.url)])))
        return { ok: false, error: `it leads on to ${next.url.host}, which policy does not allow` };
      question = next;
    }
    return { ok: false, error: `it leads on more than ${MOST_REDIRECTS} times` };
  } catch (error) {
    return { ok: false, error: signal.aborted ? "it did not answer in time" : reasonOf(error) };
  } finally {
    await dispatcher.destroy();
  }
}

function questionOf(input: JsonObject): Question {
  const method = (input["method"] ?? "GET") as Question["method"];
  const body = typeof input["body"] === "string" ? input["body"] : null;
  if (body !== null && method !== "POST") throw new Error("only POST has a body");
  const contentType = String(input["content_type"] ?? "text/plain; charset=utf-8");
  return { url: readUrl(String(input["url"])), method, body, contentType };
}

function asked({
  method,
  body,
  contentType,
}: Question): Pick<Dispatcher.RequestOptions, "method" | "body" | "headers"> {
  const headers = { "user-agent": "pawl", accept: "*/*", "accept-encoding": "gzip, deflate, br" };
  return { method, body, headers: body === null ? headers : { ...headers, "content-type": contentType } };
}

function nextOf(question: Question, { statusCode, headers }: Dispatcher.ResponseData): Question | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(statusCode) || typeof location !== "string") return undefined;
  const url = readUrl(location, question.url);
  if (KEEPS_METHOD.has(statusCode) || question.method !== "POST") return { ...question, url };
  return { ...question, url, method: "GET", body: null };
}

async function pageOf(
  { url, method }: Question,
  answer: Dispatcher.ResponseData,
  redirects: number,
): Promise<JsonObject> {
  const contentType = headerOf(answer, "content-type");
  // An answer to HEAD names the encoding of a body that it does not have.
  const encoding = method === "HEAD" ? "" : headerOf(answer, "content-encoding");
  const { bytes, isCut } = await readBody(answer.body, encoding, MOST_BYTES);
  const text = bytes.includes(0) ? null : decodeText(bytes, contentType);
  return {
    url: url.href,
    status: answer.statusCode,
    content_type: visibleLine(contentType, 200),
    text: text?.slice(0, MOST_CHARACTERS) ?? null,
    bytes: bytes.length,
    truncated: isCut || (text?.length ?? 0) > MOST_CHARACTERS,
    redirects,
  };
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}

/** Throws for what is not a plain http or https address. */
function readUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : undefined;
  if (url === undefined) throw new Error("it is no address of the web");
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("only http and https are supported");
  if (url.username !== "" || url.password !== "") throw new Error("an address with a name or password is refused");
  return url;
}

function fetchRequest({ hostname, port, protocol }: URL): RequestOf<"fetch"> {
  const usual = protocol === "https:" ? 443 : 80;
  return { kind: "fetch", host: hostname, port: port === "" ? usual : Number(port) };
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === "" ? String(code) : message;
}
