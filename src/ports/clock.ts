/** Clock: the only source of time. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, not before `ms` have passed, and never before it returned. The returned function calls it off; calling it late or twice does nothing. */
  after(ms: number, call: () => void): () => void;
}
