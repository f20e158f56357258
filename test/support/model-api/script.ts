/**
 * What a scripted model API says. A script is a list of steps; which one answers a request is told by the request itself:
 * by how many times the assistant has already spoken in it. So a script holds through retries, resumes and side calls.
 */

/** As providers bill them: `input` without what came from or went into a cache; `output` with the reasoning in it. */
export interface Tokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Into a cache that lives for an hour (Anthropic). */
  readonly cacheWriteLong: number;
  readonly output: number;
  /** A part of `output`. */
  readonly reasoning: number;
}

export const NO_TOKENS: Tokens = {
  input: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWriteLong: 0,
  output: 0,
  reasoning: 0,
};

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    cacheWriteLong: a.cacheWriteLong + b.cacheWriteLong,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}

/** All that was read, from wherever. */
export function promptOf({ input, cacheRead, cacheWrite, cacheWriteLong }: Tokens): number {
  return input + cacheRead + cacheWrite + cacheWriteLong;
}

export function totalOf(tokens: Tokens): number {
  return promptOf(tokens) + tokens.output;
}

export interface ToolUse {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The tool takes plain text and not an object (the custom tools of the Responses wire). */
  readonly text?: string;
}

export interface ScriptedError {
  readonly status: number;
  /** In the words of the wire, as `overloaded_error`; one that goes with the status when it is left out. */
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** So many requests get it, then the step is answered; without it every request does. */
  readonly times?: number;
}

export interface Step {
  readonly text?: string;
  readonly reasoning?: string;
  readonly tools?: readonly ToolUse[];
  /** What is not said is counted from the bytes of the request and the answer. */
  readonly usage?: Partial<Tokens>;
  readonly error?: ScriptedError;
  /** The answer begins and then says that it failed; `before`: nothing of the answer was said yet. */
  readonly midError?: { readonly type: string; readonly message: string; readonly before?: boolean };
  /** The connection breaks: in the middle of the answer, or before a word of it. */
  readonly cut?: "middle" | "start";
  /** Nothing ever comes: `headers`, not even a status; `body`, the status and then nothing. */
  readonly hang?: "headers" | "body";
  /** Before the first byte. */
  readonly delayMs?: number;
  /** Between two events of a stream. */
  readonly slowMs?: number;
}

export interface Script {
  /** The last one answers every request that comes after it. */
  readonly steps: readonly Step[];
  /** What is said to requests that offer no tools (titles and the like); without it they get steps as well. */
  readonly aux?: string;
  /** Other steps for some models, by the name in the request. */
  readonly models?: Readonly<Record<string, readonly Step[]>>;
}

export function stepFor(script: Script, asked: { model: string; turns: number; hasTools: boolean }): Step {
  if (script.aux !== undefined && !asked.hasTools) return { text: script.aux };
  const steps = script.models?.[asked.model] ?? script.steps;
  return steps[Math.min(asked.turns, steps.length - 1)] ?? { text: "" };
}

/** Four bytes a token, at least one: the same bytes always count the same. */
export function countTokens(step: Step, requestBytes: number): Tokens {
  const said = [step.text ?? "", ...(step.tools ?? []).map((tool) => tool.text ?? JSON.stringify(tool.args))].join("");
  const reasoning = step.usage?.reasoning ?? quarter(step.reasoning ?? "");
  return {
    ...NO_TOKENS,
    input: Math.max(1, Math.ceil(requestBytes / 4)),
    output: Math.max(1, quarter(said)) + reasoning,
    ...step.usage,
    reasoning,
  };
}

function quarter(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
