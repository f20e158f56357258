/** OpenAI Responses. Its input counts what was cached too, and its output what was thought. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { NO_TOKENS, type Tokens } from "../../limits/prices/tokens.ts";
import {
  broughtBy,
  countIn,
  hasHostedTool,
  holds,
  isLink,
  limitIn,
  listIn,
  objectIn,
  textIn,
  tierProblem,
} from "./members.ts";
import { openAiError, readOpenAiError, USUAL_TIER } from "./openai-error.ts";
import { type AnswerReading, NOTHING_READ, type StreamReader, type Wire } from "./wire.ts";

const ENDS: ReadonlySet<JsonValue | undefined> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);
/** Tools that whoever asks uses itself. */
const OWN_TOOLS = /^(?:function|custom|local_shell|apply_patch|namespace|tool_search|computer|computer_use_preview)$/;
const CALLS: ReadonlySet<JsonValue | undefined> = new Set(["function_call", "custom_tool_call", "local_shell_call"]);

export const RESPONSES_WIRE: Wire = {
  name: "responses",
  provider: "openai",
  readRequest(body) {
    const model = textIn(body["model"]);
    const maxOutput = limitIn(body["max_output_tokens"]);
    if (model === null) return { ok: false, problem: "it names no model" };
    if (maxOutput === undefined) return { ok: false, problem: "max_output_tokens is not a whole number" };
    // What goes on after the answer cannot be metered.
    if (body["background"] === true) return { ok: false, problem: "an answer in the background cannot be metered" };
    const tier = tierProblem("service_tier", body["service_tier"], USUAL_TIER);
    if (tier !== null) return { ok: false, problem: tier };
    const streams = body["stream"] === true;
    const facts = {
      model,
      streams,
      maxOutput,
      copies: 1,
      cache: "short",
      unseen: unseenIn(body),
    } as const;
    return { ok: true, facts };
  },
  readAnswer: (body) => readResponse(objectIn(body)),
  createStreamReader: createReader,
  errorBody: openAiError,
};

function unseenIn(body: JsonObject): number | null {
  const isElsewhere = (part: JsonObject): boolean =>
    part["type"] === "item_reference" ||
    textIn(part["file_id"]) !== null ||
    isLink(part["file_url"]) ||
    isLink(part["image_url"]);
  const isNamed = ["previous_response_id", "conversation", "prompt"].some((name) => (body[name] ?? null) !== null);
  const isServed = hasHostedTool(body["tools"], OWN_TOOLS);
  return isNamed || holds(body["input"], isElsewhere) ? null : broughtBy(isServed);
}

function createReader(): StreamReader {
  let state: AnswerReading = NOTHING_READ;
  return {
    marks: /"(?:usage|error)"/g,
    read(event) {
      if (event["type"] === "error") {
        const nested = readOpenAiError(event);
        const flat = { type: textIn(event["code"]) ?? "error", message: textIn(event["message"]) ?? "" };
        state = { ...state, error: nested ?? flat };
        return;
      }
      const response = objectIn(event["response"]);
      if (response === null) return;
      const read = readResponse(response);
      state = { ...read, model: read.model ?? state.model, isWhole: read.isWhole && ENDS.has(event["type"]) };
    },
    reading: () => state,
  };
}

function readResponse(response: JsonObject | null): AnswerReading {
  if (response === null) return NOTHING_READ;
  const tokens = tokensOf(objectIn(response["usage"]));
  const toolCalls = listIn(response["output"]).filter((item) => CALLS.has(objectIn(item)?.["type"])).length;
  const error = readOpenAiError(response);
  return { model: textIn(response["model"]), tokens, isWhole: tokens !== null, toolCalls, error };
}

function tokensOf(usage: JsonObject | null): Tokens | null {
  const prompt = countIn(usage?.["input_tokens"]);
  const output = countIn(usage?.["output_tokens"]);
  if (usage === null || prompt === null || output === null) return null;
  const details = objectIn(usage["input_tokens_details"]);
  const cacheRead = Math.min(prompt, countIn(details?.["cached_tokens"]) ?? 0);
  const cacheWrite = Math.min(prompt - cacheRead, countIn(details?.["cache_write_tokens"]) ?? 0);
  const thought = countIn(objectIn(usage["output_tokens_details"])?.["reasoning_tokens"]) ?? 0;
  const input = prompt - cacheRead - cacheWrite;
  return { ...NO_TOKENS, input, cacheRead, cacheWrite, output, reasoning: Math.min(output, thought) };
}
