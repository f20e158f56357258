/** Gemini generateContent. Thinking is counted beside the candidates, not in them. */
import { promptOf, type Tokens } from "../script.ts";
import { type Answer, event, listOf, piecesOf, turnsIn, type Wire } from "./wire.ts";

const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const geminiWire: Wire = {
  name: "gemini",

  read(path, body) {
    const found = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path);
    if (found === null) return null;
    return {
      model: decodeURIComponent(found[1] ?? ""),
      isStreamed: found[2] === "streamGenerateContent",
      turns: turnsIn(listOf(body["contents"]), (content) => content["role"] === "model"),
      hasTools: listOf(body["tools"]).length > 0,
    };
  },

  told: (tokens) => ({
    ...tokens,
    input: tokens.input + tokens.cacheWrite + tokens.cacheWriteLong,
    cacheWrite: 0,
    cacheWriteLong: 0,
  }),

  whole: (answer) => ({ ...piece(answer, partsOf(answer), "STOP"), usageMetadata: usageOf(answer.tokens) }),

  stream(answer) {
    const parts = partsOf(answer).flatMap((part): readonly Part[] =>
      "text" in part ? piecesOf(part.text).map((text) => ({ ...part, text })) : [part],
    );
    const { promptTokenCount, ...rest } = usageOf(answer.tokens);
    return [
      ...parts.map((part) =>
        event({
          ...piece(answer, [part], null),
          usageMetadata: { promptTokenCount, totalTokenCount: promptTokenCount },
        }),
      ),
      event({ ...piece(answer, [{ text: "" }], "STOP"), usageMetadata: { promptTokenCount, ...rest } }),
    ];
  },

  error: (code, type, message) => ({ error: { code, message, status: type ?? STATUS[code] ?? "UNKNOWN" } }),
  midError: (status, message) => event({ error: { code: 503, message, status } }),
};

function piece({ id, model }: Answer, parts: readonly object[], finishReason: string | null) {
  const content = { role: "model", parts };
  const candidate = { index: 0, content, ...(finishReason === null ? {} : { finishReason }) };
  return { candidates: [candidate], modelVersion: model, responseId: id };
}

type Part = { readonly text: string; readonly thought?: boolean } | { readonly functionCall: object };

function partsOf({ step }: Answer): readonly Part[] {
  return [
    ...(step.reasoning === undefined ? [] : [{ text: step.reasoning, thought: true }]),
    ...(step.text === undefined ? [] : [{ text: step.text }]),
    ...(step.tools ?? []).map(({ name, args }) => ({ functionCall: { name, args } })),
  ];
}

/** Nothing is said of what went into a cache: that is paid for where the cache is made. */
function usageOf(tokens: Tokens) {
  const { cacheRead, output, reasoning } = tokens;
  const promptTokenCount = promptOf(tokens);
  return {
    promptTokenCount,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    candidatesTokenCount: output - reasoning,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: promptTokenCount + output,
  };
}
