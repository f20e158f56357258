/** What an audit of the loops of a project finds. */
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Drift } from "../../loops/audit/drift.ts";
import type { Readiness } from "../../loops/audit/readiness.ts";

export interface RotFound {
  /** `file:line` */
  readonly where: string;
  readonly id: string;
  readonly why: string;
}

export interface AuditReport {
  readonly readiness: Readiness;
  /** Where the files disagree. */
  readonly drift: readonly Drift[];
  /** Items of state files that no loop acts on any more. */
  readonly rot: readonly RotFound[];
  /** What cannot be read: no loop runs on it. */
  readonly problems: readonly Diagnostic[];
  /** Text of the files by the name that problems show. */
  readonly sources: Readonly<Record<string, string>>;
}

/** Levels that a project can be ready for. */
export const READINESS_LEVELS: readonly Level[] = ["L1", "L2", "L3"];
