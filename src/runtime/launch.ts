/** How runs begin: what a plan asks for must be allowed and possible here before anything of it is stored. */
import { existsSync } from "node:fs";
import { pawlError } from "../base/errors.ts";
import { formatRunId, type RunId } from "../base/ids.ts";
import { canonical } from "../base/json.ts";
import type { Plan, PlanJson } from "../plan/plan.ts";
import { needsTree, wallsOf } from "../plan/walls.ts";
import type { Clock } from "../ports/clock.ts";
import type { Engine } from "../ports/engine.ts";
import { SANDBOX_ERRORS } from "../ports/errors/sandbox-errors.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Store } from "../ports/store/store.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import { RUN_ERRORS } from "../run/errors.ts";
import { isTerminal } from "../run/reasons.ts";
import { forkOf } from "./past.ts";
import type { Runtime, StartOptions } from "./runtime.ts";
import { admitLevel, requireLevelKept } from "./trust/trust.ts";

export interface LaunchParts {
  readonly root: string;
  readonly statePath: string;
  /** Rejects when nothing can be stored there. */
  prepareState(): Promise<void>;
  readonly sandbox: Sandbox;
  readonly workspaces: Workspaces;
  readonly clock: Clock;
  randomBytes(count: number): Uint8Array;
  hasSecret(text: string): boolean;
  /** Rejects when caps that are written cannot be read. */
  requireBudget(): Promise<void>;
}

type Open = () => Promise<{ readonly store: Store; readonly engine: Engine }>;

type Launcher = Pick<Runtime, "start" | "leftOut" | "fork" | "resume">;

/**
 * Rejects where a run must not go on: this machine cannot build the walls that it asks for (that it may do without was said when it was
 * started), or its level was lost since.
 */
export async function admitHere(parts: LaunchParts, open: Open, run: RunId): Promise<void> {
  await parts.requireBudget();
  const { store } = await open();
  const row = await store.runs.get(run);
  const plan = row === undefined || isTerminal(row.status) ? undefined : await store.journal.plan(row.plan);
  if (row === undefined || plan === undefined) return;
  await requireLevelKept({ store, root: parts.root }, plan, row, parts.clock.now());
  await requireWalls(parts, plan, { danger: true });
}

export function createLauncher(parts: LaunchParts, open: Open): Launcher {
  const checkedPlans = new WeakSet<object>();
  const newRun = (): RunId => formatRunId(parts.randomBytes(12));
  return {
    async start(plan, options = {}) {
      if (!checkedPlans.has(plan)) {
        requireNoSecret(parts, plan);
        checkedPlans.add(plan);
      }
      await requireWalls(parts, plan, options);
      await parts.requireBudget();
      // Before the vault is written to, so that a state nobody may write to is named as such.
      if (existsSync(parts.statePath)) await parts.prepareState();
      const tree = await firstTree(parts, plan);
      const { store, engine } = await open();
      const level = await admitLevel({ store, root: parts.root }, plan, parts.clock.now(), options);
      return engine.start({ run: options.run ?? newRun(), plan, params: plan.params, tree, ...level });
    },
    async leftOut(plan, sources) {
      if (!needsTree(plan) || plan.workspace?.from !== "head") return [];
      return (await parts.workspaces.uncommitted()).filter((path) => !Object.hasOwn(sources, path));
    },
    async fork(run, stage, options = {}) {
      const { store, engine } = await open();
      const fresh = await forkOf(store, run, stage);
      await parts.requireBudget();
      await requireWalls(parts, fresh.plan, options);
      const level = await admitLevel({ store, root: parts.root }, fresh.plan, parts.clock.now(), options);
      return engine.start({ ...fresh, run: options.run ?? newRun(), ...level });
    },
    async resume(run, options) {
      await admitHere(parts, open, run);
      return (await open()).engine.resume(run, options);
    },
  };
}

export function requireNoSecret({ hasSecret }: Pick<LaunchParts, "hasSecret">, plan: Plan): void {
  if (hasSecret(canonical(plan as PlanJson))) throw pawlError(RUN_ERRORS, "RUN_SECRET_IN_PLAN", { plan: plan.name });
}

async function firstTree({ workspaces, clock }: LaunchParts, plan: Plan): Promise<string | null> {
  return plan.workspace !== null && needsTree(plan) ? workspaces.base(plan.workspace, clock.now()) : null;
}

/** A plan that asks for more or for less than it can get here does not begin. */
export async function requireWalls(parts: LaunchParts, plan: Plan, { danger = false }: StartOptions): Promise<void> {
  const isOpen = wallsOf(plan).map(({ sandbox }) => sandbox === "danger_full_access");
  if (!danger && isOpen.includes(true)) throw pawlError(RUN_ERRORS, "RUN_DANGER_REFUSED", { plan: plan.name });
  if (!isOpen.includes(false) && !needsTree(plan)) return;
  const { missing, hint } = await parts.sandbox.check();
  if (missing !== null) throw pawlError(SANDBOX_ERRORS, "SANDBOX_UNAVAILABLE", { missing, hint: hint ?? "" });
}
