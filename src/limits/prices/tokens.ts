/** Tokens of one model call, by what they are billed as. The parts do not overlap, but for `reasoning`. */

export interface Tokens {
  /** Read for the first time: neither from a cache nor into one. */
  readonly input: number;
  readonly cacheRead: number;
  /** Written to a cache that lives for minutes. */
  readonly cacheWrite: number;
  /** Written to a cache that lives for an hour. */
  readonly cacheWriteLong: number;
  /** Everything that was written, with what was thought. */
  readonly output: number;
  /** The part of `output` that was thought and not said. */
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

/** What was read, from wherever. */
export function promptOf({ input, cacheRead, cacheWrite, cacheWriteLong }: Tokens): number {
  return input + cacheRead + cacheWrite + cacheWriteLong;
}

export function totalOf(tokens: Tokens): number {
  return promptOf(tokens) + tokens.output;
}

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
