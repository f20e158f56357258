/** OpenAI Responses. */
import { promptOf, type Tokens } from "../script.ts";
import { openAiError } from "./chat.ts";
import { type Answer, type Body, event, listOf, piecesOf, turnsIn, type Wire } from "./wire.ts";

const SPOKEN: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call", "local_shell_call", "reasoning"]);

export const responsesWire: Wire = {
  name: "responses",

  read(path, body) {
    if (path !== "/v1/responses") return null;
    return {
      model: String(body["model"]),
      isStreamed: body["stream"] === true,
      turns: turnsIn(listOf(body["input"]), (item) => item["role"] === "assistant" || SPOKEN.has(item["type"])),
      hasTools: listOf(body["tools"]).length > 0,
    };
  },

  told: (tokens) => ({ ...tokens, cacheWrite: tokens.cacheWrite + tokens.cacheWriteLong, cacheWriteLong: 0 }),

  whole: (answer) => responseOf(answer, "completed"),

  stream(answer) {
    const events = [
      { type: "response.created", response: responseOf(answer, "in_progress") },
      { type: "response.in_progress", response: responseOf(answer, "in_progress") },
      ...itemsOf(answer).flatMap(itemEvents),
      { type: "response.completed", response: responseOf(answer, "completed") },
    ];
    return events.map((data, sequence_number) => event({ ...data, sequence_number }, data.type));
  },

  error: openAiError,

  midError: (code, message) =>
    event(
      { type: "response.failed", response: { id: "resp_failed", status: "failed", error: { code, message } } },
      "response.failed",
    ),
};

function responseOf(answer: Answer, status: "in_progress" | "completed") {
  const isDone = status === "completed";
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: 1,
    status,
    model: answer.model,
    output: isDone ? itemsOf(answer) : [],
    error: null,
    incomplete_details: null,
    usage: isDone ? usageOf(answer.tokens) : null,
  };
}

function usageOf(tokens: Tokens) {
  const { cacheRead, cacheWrite, output, reasoning } = responsesWire.told(tokens);
  const input_tokens = promptOf(tokens);
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cacheRead, ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input_tokens + output,
  };
}

interface Item extends Body {
  readonly type: string;
  readonly id: string;
}

function itemsOf({ id, step }: Answer): readonly Item[] {
  const status = "completed";
  const summary = [{ type: "summary_text", text: step.reasoning ?? "" }];
  const content = [{ type: "output_text", text: step.text ?? "", annotations: [] }];
  return [
    ...(step.reasoning === undefined ? [] : [{ type: "reasoning", id: `rs_${id}`, summary }]),
    ...(step.text === undefined ? [] : [{ type: "message", id: `msg_${id}`, status, role: "assistant", content }]),
    ...(step.tools ?? []).map((tool, index) => {
      const call = { id: `fc_${id}_${index}`, call_id: `call_${id}_${index}`, name: tool.name, status };
      return tool.text === undefined
        ? { type: "function_call", ...call, arguments: JSON.stringify(tool.args) }
        : { type: "custom_tool_call", ...call, input: tool.text };
    }),
  ];
}

function itemEvents(item: Item, output_index: number): readonly { readonly type: string }[] {
  const place = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: begun(item) },
    ...deltasOf(item).map(([type, delta]) => ({ type, ...place, content_index: 0, delta })),
    { type: "response.output_item.done", output_index, item },
  ] as readonly { readonly type: string }[];
}

function begun(item: Item): Item {
  const empty = { message: { content: [] }, reasoning: { summary: [] }, custom_tool_call: { input: "" } };
  return { ...item, ...(empty[item.type as keyof typeof empty] ?? { arguments: "" }) };
}

function deltasOf(item: Item): readonly (readonly [string, string])[] {
  const all = (type: string, text: unknown) => piecesOf(String(text)).map((piece) => [type, piece] as const);
  switch (item.type) {
    case "message":
      return all("response.output_text.delta", listOf(item["content"])[0]?.["text"]);
    case "reasoning":
      return all("response.reasoning_summary_text.delta", listOf(item["summary"])[0]?.["text"]);
    case "custom_tool_call":
      return all("response.custom_tool_call_input.delta", item["input"]);
    default:
      return all("response.function_call_arguments.delta", item["arguments"]);
  }
}
