/** The addresses there are: which wire a path belongs to, and whether it is a call that costs. */
import type { IncomingHttpHeaders } from "node:http";
import { ANTHROPIC_WIRE } from "./wires/anthropic.ts";
import { CHAT_WIRE } from "./wires/chat.ts";
import { GEMINI_WIRE } from "./wires/gemini.ts";
import { RESPONSES_WIRE } from "./wires/responses.ts";
import type { Wire } from "./wires/wire.ts";

export type Address =
  /** A model answers, and is paid for it. */
  | { readonly kind: "call"; readonly wire: Wire; readonly model?: string; readonly streams?: boolean }
  /** Passed on and not billed: counting tokens, listing models. */
  | { readonly kind: "free"; readonly wire: Wire }
  | { readonly kind: "none"; readonly wire: Wire };

const CALLS: Readonly<Record<string, Address>> = {
  "/v1/messages": { kind: "call", wire: ANTHROPIC_WIRE },
  "/v1/messages/count_tokens": { kind: "free", wire: ANTHROPIC_WIRE },
  "/v1/responses": { kind: "call", wire: RESPONSES_WIRE },
  "/v1/chat/completions": { kind: "call", wire: CHAT_WIRE },
};
/** A chain or an effort may stand there too: `a,b:high`. */
const GEMINI = /^\/v1(?:beta)?\/models\/([A-Za-z0-9][A-Za-z0-9._,:%-]{0,255}):(\w+)$/;
const LIST = /^\/(v1|v1beta)\/models(?:\/[A-Za-z0-9][A-Za-z0-9._:-]{0,127})?$/;

/** `path` without a query. */
export function addressOf(method: string, path: string, headers: IncomingHttpHeaders): Address {
  if (method === "POST") return CALLS[path] ?? geminiAddress(path) ?? nowhere(path, headers);
  const version = method === "GET" ? LIST.exec(path)?.[1] : undefined;
  if (version === undefined) return nowhere(path, headers);
  return { kind: "free", wire: version === "v1beta" ? GEMINI_WIRE : likelyWire(path, headers) };
}

function geminiAddress(path: string): Address | null {
  const [, written, verb] = GEMINI.exec(path) ?? [];
  const model = written === undefined ? null : decoded(written);
  if (model === null) return null;
  if (verb === "countTokens") return { kind: "free", wire: GEMINI_WIRE };
  if (verb !== "generateContent" && verb !== "streamGenerateContent") return null;
  return { kind: "call", wire: GEMINI_WIRE, model, streams: verb === "streamGenerateContent" };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function nowhere(path: string, headers: IncomingHttpHeaders): Address {
  return { kind: "none", wire: likelyWire(path, headers) };
}

/** Whose client it is, as far as one can tell. */
function likelyWire(path: string, headers: IncomingHttpHeaders): Wire {
  if (path.startsWith("/v1/messages") || headers["anthropic-version"] !== undefined) return ANTHROPIC_WIRE;
  if (path.startsWith("/v1beta/") || headers["x-goog-api-key"] !== undefined) return GEMINI_WIRE;
  return path.startsWith("/v1/responses") ? RESPONSES_WIRE : CHAT_WIRE;
}
