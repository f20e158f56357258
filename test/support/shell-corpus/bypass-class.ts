/** Texts that try to run something that no rule allows; `canary` is such a program. */
export interface BypassClass {
  /** What every one of them tries. */
  readonly tries: string;
  readonly texts: readonly string[];
}
