/**
 * The one guard of delegation, at the entry of every run: an agent never runs below itself, not too deep, and not too many in
 * all. The lineage travels with the asynchronous context, so a tool that calls `runAgent` itself is no way around it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type PawlError, pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import type { AgentStatus } from "../agent.ts";
import type { Chronicle } from "../journal/chronicle.ts";
import type { AgentJournal } from "../journal/record.ts";
import type { Meter } from "../meter.ts";
import type { ToolFile, ToolRisk } from "../tools/tool.ts";

export interface DispatchLimits {
  /** Runs below the first one, one in the other. */
  readonly depth: number;
  /** Runs below the first one in all. */
  readonly descendants: number;
}

export const DISPATCH_LIMITS: DispatchLimits = { depth: 3, descendants: 20 };

export interface Lineage {
  readonly run: RunId;
  /** Names from the first run to this one. */
  readonly names: readonly string[];
  readonly depth: number;
  readonly limits: DispatchLimits;
  /** Shared by all runs below the first one. */
  readonly family: { descendants: number };
  readonly meter: Meter;
  readonly chronicle: Chronicle;
  readonly journal: AgentJournal;
  readonly signal: AbortSignal;
  /** What the run itself is ruled on by: its hooks, its policy, and whoever it asks. */
  rule(call: ToolCall, risk: ToolRisk): Promise<Ruling>;
  /** Comes with its answer. */
  attach(file: ToolFile): void;
  /** Its hooks hear of a call that was made on its behalf. */
  tell(call: ToolCall, result: { readonly ok: boolean; readonly output: JsonValue }): Promise<void>;
}

const CURRENT = new AsyncLocalStorage<Lineage>();

export function currentLineage(): Lineage | undefined {
  return CURRENT.getStore();
}

export function withLineage<T>(lineage: Lineage, work: () => Promise<T>): Promise<T> {
  return CURRENT.run(lineage, work);
}

export interface Refused {
  readonly status: Extract<AgentStatus, `dispatch_${string}`>;
  readonly error: PawlError;
}

/** Counts the run as a descendant, or says why it may not be. */
export function guardDispatch(parent: Lineage | undefined, name: string | undefined): Refused | null {
  if (parent === undefined) return null;
  const { names, depth, limits, family } = parent;
  if (name !== undefined && names.includes(name)) {
    const path = [...names, name].join(" → ");
    return {
      status: "dispatch_loop",
      error: pawlError(HARNESS_ERRORS, "HARNESS_DISPATCH_LOOP", { agent: name, path }),
    };
  }
  if (depth >= limits.depth) {
    const facts = { depth: depth + 1, most: limits.depth };
    return { status: "dispatch_depth", error: pawlError(HARNESS_ERRORS, "HARNESS_DISPATCH_DEPTH", facts) };
  }
  if (family.descendants >= limits.descendants) {
    const error = pawlError(HARNESS_ERRORS, "HARNESS_DISPATCH_DESCENDANTS", { most: limits.descendants });
    return { status: "dispatch_descendants", error };
  }
  family.descendants += 1;
  return null;
}
