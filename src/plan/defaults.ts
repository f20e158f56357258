/** Defaults: what a stage gets where its author wrote nothing. The stage's own word wins, then the blueprint's, then these. */
import type {
  BackoffSpec,
  EffectClass,
  LeafSpec,
  StageSettings,
  StageSpec,
  WorkspaceKind,
} from "../blueprint/blueprint.ts";
import type { Wall } from "./plan.ts";

const MAX_ATTEMPTS = 1;
const TIMEOUT_MS = 600_000;
const BACKOFF: BackoffSpec = { firstMs: 500, factor: 2, maxMs: 30_000 };
const CWD = ".";
const PROCESSES = 4096;
const OUTPUT_BYTES = 2 ** 30;
const FILE_BYTES = 2 ** 32;

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

/** The wall around a process. Resources are filled in one by one: a stage that limits one keeps the others. */
export function wallOf(spec: StageSettings, defaults: StageSettings, workspace: WorkspaceKind): Wall {
  const resources = {
    processes: PROCESSES,
    fileBytes: FILE_BYTES,
    outputBytes: OUTPUT_BYTES,
    ...defaults.resources,
    ...spec.resources,
  };
  return {
    // The project folder itself is never written to unasked.
    sandbox: spec.sandbox ?? defaults.sandbox ?? (workspace === "directory" ? "read_only" : "workspace_write"),
    network: [...new Set(spec.network ?? defaults.network ?? [])].sort(),
    resources: {
      memoryBytes: resources.memoryBytes ?? null,
      cpuMs: resources.cpuMs ?? null,
      processes: resources.processes,
      fileBytes: resources.fileBytes,
      outputBytes: resources.outputBytes,
    },
  };
}

/** What is left to a stage that reads third-party text: it looks, and answers. */
export function closeWall(wall: Wall): Wall {
  return { ...wall, sandbox: "read_only", network: [] };
}

/**
 * The effect of a process stage. A check is made to be repeated. What cannot reach beyond a workspace that is restored
 * before each attempt does nothing new when it is repeated; of any other process nothing is known.
 */
export function processEffect(
  spec: Extract<LeafSpec, { kind: "command" | "gate" | "agent" }>,
  defaults: StageSettings,
  wall: Wall,
): EffectClass {
  const written = spec.effect ?? defaults.effect;
  if (written !== undefined) return written;
  return spec.kind === "gate" || isContained(wall) ? "idempotent" : "once";
}

function isContained({ sandbox, network }: Wall): boolean {
  return network.length === 0 && sandbox !== "danger_full_access";
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
