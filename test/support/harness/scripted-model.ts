/** A model of the AI SDK that says what a script tells it, and keeps what it was asked. */
import type { Answer, CallOptions, Model } from "../../../src/harness/models/model.ts";

export interface Line {
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly input?: unknown; readonly id?: string }[];
  readonly usage?: { readonly input?: number; readonly output?: number; readonly cached?: number };
  readonly finish?: Answer["finishReason"]["unified"];
  readonly throws?: unknown;
  /** Does not answer before its signal aborts. */
  readonly hangs?: boolean;
  /** What the answer says of who gave it. */
  readonly by?: string;
}

export interface ScriptedModel extends Model {
  readonly asked: CallOptions[];
}

/** The last line answers everything after it; a function answers by what it is asked and how often it was. */
export function scriptedModel(
  script: readonly Line[] | ((options: CallOptions, times: number) => Line),
  { name = "scripted", provider = "test" } = {},
): ScriptedModel {
  const asked: CallOptions[] = [];
  const lineFor = (options: CallOptions): Line => {
    if (typeof script === "function") return script(options, asked.length);
    return script[Math.min(asked.length, script.length) - 1] ?? {};
  };
  return {
    specificationVersion: "v3",
    provider,
    modelId: name,
    supportedUrls: {},
    asked,
    async doGenerate(options) {
      asked.push(options);
      const line = lineFor(options);
      if (line.hangs === true) await aborted(options.abortSignal);
      if (line.throws !== undefined) throw line.throws;
      return answerOf(line, asked.length);
    },
    doStream: () => Promise.reject(new Error("it does not stream")),
  };
}

function answerOf({ text = "", calls = [], usage = {}, finish, by }: Line, turn: number): Answer {
  const { input = 0, output = 0, cached = 0 } = usage;
  return {
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ tool, input: given = {}, id }, index) => ({
        type: "tool-call" as const,
        toolCallId: id ?? `c${turn}-${index}`,
        toolName: tool,
        input: typeof given === "string" ? given : JSON.stringify(given),
      })),
    ],
    finishReason: { unified: finish ?? (calls.length > 0 ? "tool-calls" : "stop"), raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: 0 },
      outputTokens: { total: output, text: output, reasoning: 0 },
    },
    warnings: [],
    ...(by === undefined ? {} : { response: { modelId: by } }),
  };
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

/** An error as the SDK throws it for an answer of a provider. */
export function apiError(statusCode: number, type: string, headers: Readonly<Record<string, string>> = {}): Error {
  const data = { error: { type } };
  return Object.assign(new Error(`${statusCode} ${type}`), { statusCode, responseHeaders: headers, data });
}
