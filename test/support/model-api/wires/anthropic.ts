/** Anthropic Messages. */
import type { Tokens } from "../script.ts";
import { type Answer, type Chunk, event, listOf, piecesOf, turnsIn, type Wire } from "./wire.ts";

const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export const anthropicWire: Wire = {
  name: "anthropic",

  read(path, body) {
    if (path !== "/v1/messages") return null;
    return {
      model: String(body["model"]),
      isStreamed: body["stream"] === true,
      turns: turnsIn(listOf(body["messages"]), (message) => message["role"] === "assistant"),
      hasTools: listOf(body["tools"]).length > 0,
    };
  },

  told: (tokens) => ({ ...tokens, reasoning: 0 }),

  whole(answer) {
    return { ...head(answer), content: blocksOf(answer), stop_reason: stopOf(answer), usage: usageOf(answer.tokens) };
  },

  stream(answer) {
    const say = (data: { readonly type: string }): Chunk => event(data, data.type);
    const { output_tokens, ...input } = usageOf(answer.tokens);
    const message = { ...head(answer), content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } };
    return [
      say({ type: "message_start", message } as { type: string }),
      say({ type: "ping" }),
      ...blocksOf(answer).flatMap((block, index) =>
        [
          { type: "content_block_start", index, content_block: { ...block, ...emptied(block) } },
          ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
          { type: "content_block_stop", index },
        ].map(say),
      ),
      say({
        type: "message_delta",
        delta: { stop_reason: stopOf(answer), stop_sequence: null },
        usage: { output_tokens },
      } as { type: string }),
      say({ type: "message_stop" }),
    ];
  },

  error: (status, type, message) => ({
    type: "error",
    error: { type: type ?? TYPES[status] ?? "api_error", message },
    request_id: "req_scripted",
  }),

  midError: (type, message) => event({ type: "error", error: { type, message } }, "error"),
};

function head({ id, model }: Answer) {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function usageOf({ input, cacheRead, cacheWrite, cacheWriteLong, output }: Tokens) {
  return {
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite + cacheWriteLong,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: cacheWriteLong },
    output_tokens: output,
  };
}

function stopOf({ step }: Answer): string {
  return (step.tools ?? []).length > 0 ? "tool_use" : "end_turn";
}

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

function blocksOf({ id, step }: Answer): readonly Block[] {
  return [
    ...(step.reasoning === undefined
      ? []
      : [{ type: "thinking" as const, thinking: step.reasoning, signature: "scripted" }]),
    ...(step.text === undefined ? [] : [{ type: "text" as const, text: step.text }]),
    ...(step.tools ?? []).map((tool, index) => ({
      type: "tool_use" as const,
      id: `toolu_${id}_${index}`,
      name: tool.name,
      input: tool.args,
    })),
  ];
}

function emptied(block: Block) {
  if (block.type === "text") return { text: "" };
  return block.type === "thinking" ? { thinking: "", signature: "" } : { input: {} };
}

function deltasOf(block: Block) {
  switch (block.type) {
    case "text":
      return piecesOf(block.text).map((text) => ({ type: "text_delta", text }));
    case "thinking":
      return [
        ...piecesOf(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "tool_use":
      return piecesOf(JSON.stringify(block.input)).map((partial_json) => ({ type: "input_json_delta", partial_json }));
  }
}
