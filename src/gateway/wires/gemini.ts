/** Gemini generateContent. The prompt counts what was cached; what was thought is counted beside the candidates. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { NO_TOKENS, type Tokens } from "../../limits/prices/tokens.ts";
import { broughtBy, copiesIn, countIn, holds, limitIn, listIn, objectIn, textIn, tierProblem } from "./members.ts";
import { type AnswerReading, NOTHING_READ, type StreamReader, type Wire, type WireError } from "./wire.ts";

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "RESOURCE_EXHAUSTED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
};

/** Tools that whoever asks uses itself. */
const OWN_TOOLS: ReadonlySet<string> = new Set([
  ...["functionDeclarations", "function_declarations", "computerUse", "computer_use"],
]);
const USUAL_TIER = /^(?:unspecified|standard|flex)$/i;

export const GEMINI_WIRE: Wire = {
  name: "gemini",
  provider: "google",
  readRequest(body, { model, streams = false }) {
    const config = objectIn(body["generationConfig"]) ?? objectIn(body["generation_config"]);
    const maxOutput = limitIn(config?.["maxOutputTokens"], config?.["max_output_tokens"]);
    const copies = copiesIn(config?.["candidateCount"], config?.["candidate_count"]);
    if (model === undefined) return { ok: false, problem: "it names no model" };
    if (maxOutput === undefined) return { ok: false, problem: "maxOutputTokens is not a whole number" };
    if (copies === undefined) return { ok: false, problem: "candidateCount is not a whole number up to 1000" };
    const tier = tierProblem("serviceTier", body["serviceTier"] ?? body["service_tier"], USUAL_TIER);
    if (tier !== null) return { ok: false, problem: tier };
    return {
      ok: true,
      facts: {
        model,
        streams,
        maxOutput,
        copies: Math.max(1, copies ?? 1),
        cache: "none",
        unseen: unseenIn(body),
      },
    };
  },
  // A stream that was not asked for as events is one list.
  readAnswer(body) {
    const reader = createReader();
    for (const part of Array.isArray(body) ? (body as readonly JsonValue[]) : [body]) {
      const event = objectIn(part);
      if (event !== null) reader.read(event);
    }
    return reader.reading();
  },
  createStreamReader: createReader,
  errorBody: ({ status, code, message }) => ({
    error: { code: status, message: `${message} [${code}]`, status: STATUSES[status] ?? "INTERNAL" },
  }),
};

function unseenIn(body: JsonObject): number | null {
  const isCached = ["cachedContent", "cached_content"].some((name) => textIn(body[name]) !== null);
  const isServed = listIn(body["tools"]).some((tool) =>
    Object.keys(objectIn(tool) ?? {}).some((name) => !OWN_TOOLS.has(name)),
  );
  const said = ["contents", "systemInstruction", "system_instruction"].map((name) => body[name]);
  const isElsewhere = (part: JsonObject): boolean => objectIn(part["fileData"] ?? part["file_data"]) !== null;
  return isCached || said.some((each) => holds(each, isElsewhere)) ? null : broughtBy(isServed);
}

function createReader(): StreamReader {
  let state: AnswerReading = NOTHING_READ;
  return {
    marks: null,
    read(event) {
      const candidates = listIn(event["candidates"]).map(objectIn);
      const tokens = tokensOf(objectIn(event["usageMetadata"]));
      const calls = candidates
        .flatMap((candidate) => listIn(objectIn(candidate?.["content"])?.["parts"]))
        .filter((part) => objectIn(objectIn(part)?.["functionCall"]) !== null).length;
      const hasEnded = candidates.some((candidate) => textIn(candidate?.["finishReason"]) !== null);
      // A prompt that is refused gets no candidate.
      const isBlocked = textIn(objectIn(event["promptFeedback"])?.["blockReason"]) !== null;
      state = {
        model: textIn(event["modelVersion"]) ?? state.model,
        // Each event tells the total so far.
        tokens: tokens ?? state.tokens,
        isWhole: state.isWhole || (tokens !== null && (hasEnded || isBlocked)),
        toolCalls: state.toolCalls + calls,
        error: errorOf(event) ?? state.error,
      };
    },
    reading: () => state,
  };
}

function tokensOf(usage: JsonObject | null): Tokens | null {
  const prompt = countIn(usage?.["promptTokenCount"]);
  if (usage === null || prompt === null) return null;
  const count = (name: string): number => countIn(usage[name]) ?? 0;
  const cacheRead = Math.min(prompt, count("cachedContentTokenCount"));
  const reasoning = count("thoughtsTokenCount");
  const input = prompt - cacheRead + count("toolUsePromptTokenCount");
  return { ...NO_TOKENS, input, cacheRead, output: count("candidatesTokenCount") + reasoning, reasoning };
}

function errorOf(body: JsonObject): WireError | null {
  const error = objectIn(body["error"]);
  if (error === null) return null;
  return { type: textIn(error["status"]) ?? "INTERNAL", message: textIn(error["message"]) ?? "" };
}
