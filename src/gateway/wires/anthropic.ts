/** Anthropic Messages. Its counts of input, cache reads and cache writes do not overlap; thinking is part of the output. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../../limits/prices/tokens.ts";
import {
  broughtBy,
  countIn,
  hasHostedTool,
  holds,
  limitIn,
  listIn,
  mentions,
  objectIn,
  textIn,
  tierProblem,
} from "./members.ts";
import { type AnswerReading, NOTHING_READ, type StreamReader, type Wire, type WireError } from "./wire.ts";

const CACHE_MARK = new Set(["cache_control"]);
const LONG_CACHE = new Set(["ttl"]);
const ELSEWHERE: ReadonlySet<JsonValue | undefined> = new Set(["url", "file"]);
/** Tools that whoever asks uses itself. */
const OWN_TOOLS = /^(?:custom$|bash_|text_editor_|computer_|memory_)/;
const USUAL_SPEED = /^standard$/;
const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
};

/** The types of events that are read. One pass over the text of a packet is quicker than a search for each. */
const READ_TYPES = /"type":\s{0,9}"(?:message_|content_block_start|error)/g;

export const ANTHROPIC_WIRE: Wire = {
  name: "anthropic",
  provider: "anthropic",
  readRequest(body) {
    const model = textIn(body["model"]);
    const maxOutput = limitIn(body["max_tokens"]);
    if (model === null) return { ok: false, problem: "it names no model" };
    if (maxOutput === undefined) return { ok: false, problem: "max_tokens is not a whole number" };
    const tier = tierProblem("speed", body["speed"], USUAL_SPEED);
    if (tier !== null) return { ok: false, problem: tier };
    const isCached = mentions(body, CACHE_MARK);
    return {
      ok: true,
      facts: {
        model,
        streams: body["stream"] === true,
        maxOutput,
        copies: 1,
        cache: isCached ? (mentions(body, LONG_CACHE) ? "long" : "short") : "none",
        unseen: unseenIn(body),
      },
    };
  },
  readAnswer(body) {
    const answer = objectIn(body);
    if (answer === null) return NOTHING_READ;
    const tokens = tokensOf(objectIn(answer["usage"]));
    const toolCalls = listIn(answer["content"]).filter(isToolUse).length;
    return { model: textIn(answer["model"]), tokens, isWhole: tokens !== null, toolCalls, error: errorOf(answer) };
  },
  createStreamReader: createReader,
  errorBody: ({ status, code, message }) => ({
    type: "error",
    error: { type: TYPES[status] ?? "api_error", message: `${message} [${code}]` },
  }),
};

function unseenIn(body: JsonObject): number | null {
  const isElsewhere = (part: JsonObject): boolean =>
    ELSEWHERE.has(objectIn(part["source"])?.["type"]) || part["type"] === "container_upload";
  const isServed = hasHostedTool(body["tools"], OWN_TOOLS) || listIn(body["mcp_servers"]).length > 0;
  const isNamed = textIn(body["container"]) !== null || holds(body["messages"], isElsewhere);
  return isNamed ? null : broughtBy(isServed);
}

function createReader(): StreamReader {
  let state: AnswerReading = NOTHING_READ;
  let usage: JsonObject = {};
  return {
    marks: READ_TYPES,
    read(event) {
      switch (event["type"]) {
        case "message_start": {
          const message = objectIn(event["message"]);
          usage = { ...objectIn(message?.["usage"]) };
          state = { ...state, model: textIn(message?.["model"]), tokens: tokensOf(usage) };
          return;
        }
        case "message_delta":
          // Its counts are totals so far, and only some of them are there.
          usage = { ...usage, ...given(objectIn(event["usage"])) };
          state = {
            ...state,
            tokens: tokensOf(usage),
            isWhole: countIn(objectIn(event["usage"])?.["output_tokens"]) !== null,
          };
          return;
        case "content_block_start":
          if (isToolUse(event["content_block"])) state = { ...state, toolCalls: state.toolCalls + 1 };
          return;
        case "error":
          state = { ...state, error: errorOf(event) };
      }
    },
    reading: () => state,
  };
}

function given(usage: JsonObject | null): JsonObject {
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== null && value !== undefined));
}

/** Steps of the provider's own that are billed too, and are no part of the totals: a summary of what was said, advice of another model. */
const BESIDES: ReadonlySet<JsonValue | undefined> = new Set(["compaction", "advisor_message"]);

function tokensOf(usage: JsonObject | null): Tokens | null {
  const steps = listIn(usage?.["iterations"]).map(objectIn);
  const besides = steps.filter((step) => BESIDES.has(step?.["type"])).map(countsIn);
  return besides.reduce((sum, each) => (sum === null || each === null ? null : addTokens(sum, each)), countsIn(usage));
}

function countsIn(usage: JsonObject | null): Tokens | null {
  const input = countIn(usage?.["input_tokens"]);
  const output = countIn(usage?.["output_tokens"]);
  if (usage === null || input === null || output === null) return null;
  const written = countIn(usage["cache_creation_input_tokens"]) ?? 0;
  const long = countIn(objectIn(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]) ?? 0;
  const cacheRead = countIn(usage["cache_read_input_tokens"]) ?? 0;
  const cacheWriteLong = Math.min(long, written);
  return { ...NO_TOKENS, input, cacheRead, cacheWrite: written - cacheWriteLong, cacheWriteLong, output };
}

function isToolUse(block: JsonValue | undefined): boolean {
  return objectIn(block)?.["type"] === "tool_use";
}

function errorOf(body: JsonObject): WireError | null {
  const error = objectIn(body["error"]);
  if (error === null) return null;
  return { type: textIn(error["type"]) ?? "api_error", message: textIn(error["message"]) ?? "" };
}
