/** Defaults: what a stage gets where its author wrote nothing. The stage's own word wins, then the blueprint's, then these. */
import type { BackoffSpec, EffectClass, LeafSpec, StageSettings, StageSpec } from "../blueprint/blueprint.ts";

const MAX_ATTEMPTS = 1;
const TIMEOUT_MS = 600_000;
const BACKOFF: BackoffSpec = { firstMs: 500, factor: 2, maxMs: 30_000 };
const CWD = ".";

/** From the freest to the strictest: how much may be repeated after a crash. */
const STRICTNESS: readonly EffectClass[] = ["idempotent", "keyed", "once"];

export interface Settings {
  readonly maxAttempts: number;
  readonly maxVisits: number | null;
  readonly timeoutMs: number;
  readonly stallMs: number | null;
  readonly backoff: BackoffSpec;
  readonly cwd: string;
}

export function settle(spec: StageSpec, defaults: StageSettings): Settings {
  return {
    maxAttempts: spec.maxAttempts ?? defaults.maxAttempts ?? MAX_ATTEMPTS,
    maxVisits: spec.maxVisits ?? defaults.maxVisits ?? null,
    timeoutMs: spec.timeoutMs ?? defaults.timeoutMs ?? TIMEOUT_MS,
    stallMs: spec.stallMs ?? defaults.stallMs ?? null,
    backoff: spec.backoff ?? defaults.backoff ?? BACKOFF,
    cwd: spec.cwd ?? defaults.cwd ?? CWD,
  };
}

/** The effect of a process stage. A check is made to be repeated; of any other process nothing is known. */
export function processEffect(
  spec: Extract<LeafSpec, { kind: "command" | "gate" }>,
  defaults: StageSettings,
): EffectClass {
  return spec.effect ?? defaults.effect ?? (spec.kind === "gate" ? "idempotent" : "once");
}

/** The effect of an action: never freer than the action itself declares, whatever the blueprint's default is. */
export function actionEffect(
  written: EffectClass | undefined,
  defaults: StageSettings,
  declared: EffectClass,
): EffectClass {
  const wanted = written ?? defaults.effect ?? declared;
  return isWeaker(wanted, declared) ? declared : wanted;
}

export function isWeaker(effect: EffectClass, than: EffectClass): boolean {
  return STRICTNESS.indexOf(effect) < STRICTNESS.indexOf(than);
}
