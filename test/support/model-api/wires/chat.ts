/** OpenAI Chat Completions. A stream tells its usage only to who asks for it, as the real one does. */
import { promptOf, type Tokens } from "../script.ts";
import { type Answer, type Body, event, listOf, piecesOf, turnsIn, type Wire } from "./wire.ts";

export const chatWire: Wire = {
  name: "chat",

  read(path, body) {
    if (path !== "/v1/chat/completions") return null;
    return {
      model: String(body["model"]),
      isStreamed: body["stream"] === true,
      turns: turnsIn(listOf(body["messages"]), (message) => message["role"] === "assistant"),
      hasTools: listOf(body["tools"]).length > 0,
    };
  },

  told: (tokens) => ({
    ...tokens,
    input: tokens.input + tokens.cacheWrite + tokens.cacheWriteLong,
    cacheWrite: 0,
    cacheWriteLong: 0,
  }),

  whole(answer) {
    const calls = callsOf(answer);
    const message = {
      role: "assistant",
      content: answer.step.text ?? null,
      ...(answer.step.reasoning === undefined ? {} : { reasoning_content: answer.step.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      ...head(answer, "chat.completion"),
      choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
      usage: usageOf(answer.tokens),
    };
  },

  stream(answer) {
    const asksUsage = (answer.body["stream_options"] as Body | undefined)?.["include_usage"] === true;
    const say = (delta: object, finish_reason: string | null = null) => ({
      ...head(answer, "chat.completion.chunk"),
      choices: [{ index: 0, delta, finish_reason }],
      ...(asksUsage ? { usage: null } : {}),
    });
    const last = { ...head(answer, "chat.completion.chunk"), choices: [], usage: usageOf(answer.tokens) };
    return [
      say({ role: "assistant", content: "" }),
      ...piecesOf(answer.step.reasoning ?? "").map((reasoning_content) => say({ reasoning_content })),
      ...piecesOf(answer.step.text ?? "").map((content) => say({ content })),
      ...callsOf(answer).flatMap((call, index) => [
        say({ tool_calls: [{ index, ...call, function: { ...call.function, arguments: "" } }] }),
        ...piecesOf(call.function.arguments).map((part) =>
          say({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      say({}, finishOf(answer)),
      ...(asksUsage ? [last] : []),
    ]
      .map((data) => event(data))
      .concat("data: [DONE]\n\n");
  },

  error: openAiError,
  midError: (type, message) => event({ error: { message, type, code: type } }),
};

const TYPES: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  402: "insufficient_quota",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

/** The shape that both wires of OpenAI share. */
export function openAiError(status: number, type: string | undefined, message: string): unknown {
  const kind = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type: type ?? kind, param: null, code: type ?? TYPES[status] ?? null } };
}

function head({ id, model }: Answer, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 1, model };
}

function finishOf({ step }: Answer): string {
  return (step.tools ?? []).length > 0 ? "tool_calls" : "stop";
}

function callsOf({ id, step }: Answer) {
  return (step.tools ?? []).map((tool, index) => ({
    id: `call_${id}_${index}`,
    type: "function",
    function: { name: tool.name, arguments: JSON.stringify(tool.args) },
  }));
}

function usageOf(tokens: Tokens) {
  const { cacheRead, output, reasoning } = tokens;
  const prompt_tokens = promptOf(tokens);
  return {
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
