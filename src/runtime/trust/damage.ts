/** What a verification is told, counts and finds. */
import type { RunId } from "../../base/ids.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { Store } from "../../ports/store/store.ts";
import type { TreeCheck } from "../../ports/trees.ts";

export interface VerifyParts {
  readonly artifacts: Pick<Artifacts, "check">;
  readonly trees: TreeCheck;
  /** Runs that the vault or a workspace holds work of; no journal is asked. */
  heldRuns(): readonly RunId[];
  /** What is wrong with the store of loops; null: nothing, or there never was one. */
  loopsProblem(): Promise<string | null>;
}

export interface Damage {
  readonly kind: "pin" | "store" | "run" | "event" | "artifact" | "tree" | "vault";
  /** null: it is about all runs, or nothing tells which. */
  readonly run: RunId | null;
  readonly stage: string | null;
  readonly attempt: number | null;
  /** Seq of the first event that does not fit. */
  readonly seq: number | null;
  readonly problem: string;
  /** What to do. */
  readonly hint: string;
}

/** So far. */
export interface Verified {
  readonly runs: number;
  readonly events: number;
  /** References to artifacts; the same bytes may be named more than once. */
  readonly artifacts: number;
  readonly artifactBytes: number;
  readonly trees: number;
  /** Trees that were removed on purpose. */
  readonly droppedTrees: number;
  /** Trees that are not there, of runs from before removals were recorded: nothing tells whether they were removed on purpose. */
  readonly unknownTrees: number;
  /** Runs that work is kept of and no journal mentions. */
  readonly unmentionedRuns: number;
  readonly objects: number;
}

export interface VerifyOptions {
  /** null: all of them. */
  readonly run: RunId | null;
  /** The events, the chain of runs and the pin alone. */
  readonly quick: boolean;
  readonly signal: AbortSignal;
  readonly onDamage: (damage: Damage) => void;
  readonly onProgress: (verified: Verified, of: number) => void;
}

export interface VerifyReport {
  readonly verified: Verified;
  readonly damaged: number;
  /** false: the journal is of an earlier version, which did not chain runs. */
  readonly isChained: boolean;
}

type Counts = { -readonly [K in keyof Verified]: Verified[K] };

export interface Look extends VerifyOptions {
  readonly parts: VerifyParts;
  readonly store: Store;
  readonly counts: Counts;
  /** Artifacts that were read and are whole. */
  readonly sound: Set<string>;
  found(damage: Damage): void;
}

export function damageOf(kind: Damage["kind"], said: Pick<Damage, "problem" | "hint">): Damage {
  return { kind, run: null, stage: null, attempt: null, seq: null, ...said };
}

export function placeOf(event: object): Pick<Damage, "stage" | "attempt"> {
  const { stage = null, attempt = null } = event as { readonly stage?: string; readonly attempt?: number };
  return { stage, attempt };
}
