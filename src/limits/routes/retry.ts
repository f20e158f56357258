/** When a model is asked again: full jitter, never before the provider allows it, never for longer than was agreed. */

export interface RetryRules {
  /** Times one model is asked for one request, at least 1. */
  readonly tries: number;
  /** The longest wait before the second try; it doubles with each further one. */
  readonly firstMs: number;
  /** Chance adds no more than this. A provider that itself asks for more is not asked again for this request. */
  readonly maxMs: number;
}

export const RETRY_RULES: RetryRules = { tries: 2, firstMs: 500, maxMs: 20_000 };

/** `failures`: how often this model has failed already (1, 2, …). `chance`: from 0 to below 1. null: it is not asked again. */
export function retryWaitMs(
  rules: RetryRules,
  {
    failures,
    askedMs,
    chance,
  }: { readonly failures: number; readonly askedMs: number | null; readonly chance: number },
): number | null {
  const asked = askedMs ?? 0;
  if (failures >= rules.tries || asked > rules.maxMs) return null;
  const ceiling = Math.min(rules.maxMs, rules.firstMs * 2 ** Math.min(failures - 1, 30));
  return asked + Math.floor(chance * ceiling);
}
