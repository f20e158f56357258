/**
 * OpenAI Chat Completions, and everybody who speaks like it. A stream says what it took only when it is asked to: it is asked
 * always, and a client that did not ask does not get to see the event that tells.
 */
import type { JsonObject } from "../../base/json.ts";
import { NO_TOKENS, type Tokens } from "../../limits/prices/tokens.ts";
import {
  broughtBy,
  copiesIn,
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

/** Tools that whoever asks uses itself. */
const OWN_TOOLS = /^(?:function|custom)$/;

export const CHAT_WIRE: Wire = {
  name: "chat",
  provider: "openai",
  readRequest(body) {
    const model = textIn(body["model"]);
    const maxOutput = limitIn(body["max_completion_tokens"], body["max_tokens"]);
    const copies = copiesIn(body["n"]);
    if (model === null) return { ok: false, problem: "it names no model" };
    if (maxOutput === undefined) return { ok: false, problem: "its limit of output is not a whole number" };
    if (copies === undefined) return { ok: false, problem: "n is not a whole number up to 1000" };
    const tier = tierProblem("service_tier", body["service_tier"], USUAL_TIER);
    if (tier !== null) return { ok: false, problem: tier };
    const streams = body["stream"] === true;
    return {
      ok: true,
      facts: {
        model,
        streams,
        maxOutput,
        copies: Math.max(1, copies ?? 1),
        cache: "short",
        unseen: unseenIn(body),
      },
    };
  },
  readAnswer(body) {
    const answer = objectIn(body);
    if (answer === null) return NOTHING_READ;
    const tokens = tokensOf(objectIn(answer["usage"]));
    const toolCalls = listIn(answer["choices"]).flatMap((choice) =>
      listIn(objectIn(objectIn(choice)?.["message"])?.["tool_calls"]),
    ).length;
    return {
      model: textIn(answer["model"]),
      tokens,
      isWhole: tokens !== null,
      toolCalls,
      error: readOpenAiError(answer),
    };
  },
  createStreamReader: createReader,
  errorBody: openAiError,
  askForUsage(body) {
    const options = objectIn(body["stream_options"]);
    if (body["stream"] !== true || options?.["include_usage"] === true) return null;
    return {
      body: { ...body, stream_options: { ...options, include_usage: true } },
      isAdded: (event) => objectIn(event["usage"]) !== null && listIn(event["choices"]).length === 0,
    };
  },
};

function unseenIn(body: JsonObject): number | null {
  const isServed = hasHostedTool(body["tools"], OWN_TOOLS) || objectIn(body["web_search_options"]) !== null;
  const isElsewhere = (part: JsonObject): boolean =>
    isLink(part["image_url"]) || textIn(objectIn(part["file"])?.["file_id"]) !== null;
  return holds(body["messages"], isElsewhere) ? null : broughtBy(isServed);
}

function createReader(): StreamReader {
  let state: AnswerReading = NOTHING_READ;
  return {
    marks: /"(?:usage|error|tool_calls)"/g,
    read(event) {
      const tokens = tokensOf(objectIn(event["usage"]));
      const choices = listIn(event["choices"]).map(objectIn);
      // Some tell with every word what it took so far: only what is told with the last one is all of it.
      const isLast = choices.length === 0 || choices.some((choice) => textIn(choice?.["finish_reason"]) !== null);
      const begun = choices
        .flatMap((choice) => listIn(objectIn(choice?.["delta"])?.["tool_calls"]))
        .filter((call) => textIn(objectIn(call)?.["id"]) !== null).length;
      state = {
        model: textIn(event["model"]) ?? state.model,
        tokens: tokens ?? state.tokens,
        isWhole: tokens === null ? state.isWhole : isLast,
        toolCalls: state.toolCalls + begun,
        error: readOpenAiError(event) ?? state.error,
      };
    },
    reading: () => state,
  };
}

function tokensOf(usage: JsonObject | null): Tokens | null {
  const prompt = countIn(usage?.["prompt_tokens"]);
  const output = countIn(usage?.["completion_tokens"]);
  if (usage === null || prompt === null || output === null) return null;
  const details = objectIn(usage["prompt_tokens_details"]);
  // One provider has a name of its own for it.
  const cached = countIn(details?.["cached_tokens"]) ?? countIn(usage["prompt_cache_hit_tokens"]) ?? 0;
  const cacheRead = Math.min(prompt, cached);
  const cacheWrite = Math.min(prompt - cacheRead, countIn(details?.["cache_write_tokens"]) ?? 0);
  const thought = countIn(objectIn(usage["completion_tokens_details"])?.["reasoning_tokens"]) ?? 0;
  const input = prompt - cacheRead - cacheWrite;
  return { ...NO_TOKENS, input, cacheRead, cacheWrite, output, reasoning: Math.min(output, thought) };
}
