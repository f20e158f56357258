/** A model of the AI SDK, as the harness asks it: one call, one answer. The loop, its bounds and its memory are ours. */
import type { LanguageModel } from "ai";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readJson } from "../../base/schema/read-json.ts";

export type Model = Extract<LanguageModel, { readonly specificationVersion: "v3" }>;
export type CallOptions = Parameters<Model["doGenerate"]>[0];
export type Answer = Awaited<ReturnType<Model["doGenerate"]>>;
export type Message = CallOptions["prompt"][number];
export type Part<R extends Message["role"]> = Exclude<Extract<Message, { role: R }>["content"], string>[number];
export type AssistantPart = Part<"assistant">;
export type ToolPart = Extract<Part<"tool">, { type: "tool-result" }>;
type Schema = NonNullable<Extract<NonNullable<CallOptions["tools"]>[number], { type: "function" }>>["inputSchema"];

/** The same text: their type has no member for what is not known. */
export function schemaOf(schema: JsonObject): Schema {
  return schema as Schema;
}

/** Models of an older form are adapted by the SDK, which is loaded for them only. */
export async function asModel(model: Exclude<LanguageModel, string>): Promise<Model> {
  if (model.specificationVersion === "v3") return model;
  const { wrapLanguageModel } = await import("ai");
  return wrapLanguageModel({ model: model as unknown as Model, middleware: [] });
}

export interface AskedCall {
  readonly id: string;
  readonly tool: string;
  /** As the model wrote it. */
  readonly text: string;
}

/** For the next turn: exactly what was said, with what its provider wants to see again; null: nothing. */
export function messageOf({ content }: Answer): Message | null {
  const parts = content.flatMap((part) => partOf(part) ?? []);
  return parts.length === 0 ? null : { role: "assistant", content: parts };
}

/** Under this name stands what a model wrote that is no JSON: providers take objects only. */
const UNREADABLE = "unreadable_input";

/** The calls in an answer, as they were read. */
export function callsOf(message: Message): readonly AskedCall[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) =>
    part.type === "tool-call" && part.providerExecuted !== true
      ? [{ id: part.toolCallId, tool: part.toolName, text: writtenInput(part.input) }]
      : [],
  );
}

function writtenInput(input: unknown): string {
  const unreadable = isJsonObject(input) ? input[UNREADABLE] : undefined;
  return typeof unreadable === "string" ? unreadable : JSON.stringify(input);
}

export function textOf(message: Message): string {
  if (message.role !== "assistant") return "";
  let text = "";
  for (const part of message.content) if (part.type === "text") text += part.text;
  return text;
}

function partOf(part: Answer["content"][number]): AssistantPart | null {
  const again = "providerMetadata" in part && part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
  switch (part.type) {
    case "text":
      return part.text === "" ? null : { type: "text", text: part.text, ...again };
    case "reasoning":
      return { type: "reasoning", text: part.text, ...again };
    case "tool-call": {
      const { toolCallId, toolName } = part;
      return {
        type: "tool-call",
        toolCallId,
        toolName,
        input: inputOf(part.input) ?? { [UNREADABLE]: part.input },
        ...again,
      };
    }
    default:
      return null;
  }
}

/** null: it is not JSON, or nested too deeply. An empty text is a call without arguments. */
export function inputOf(text: string): unknown {
  if (text.trim() === "") return {};
  return readJson(text) ?? null;
}

/** Who has answered, as far as it tells. */
export function answeredBy(model: Model, answer: Answer): string {
  const told: unknown = isJsonObject(answer) ? answer.response?.modelId : undefined;
  return typeof told === "string" ? told : model.modelId;
}
