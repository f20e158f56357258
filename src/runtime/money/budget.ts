/** How every cap stands now: what was spent, what is held, what is left, and when it frees. */
import { ok, type Result } from "../../base/result.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { type Account, type Cap, isSameAccount } from "../../limits/ledger/cap.ts";
import { nextDay } from "../../limits/ledger/windows.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ledger, OpenReservation } from "../../ports/store/ledger.ts";
import type { Setting } from "../config.ts";
import { loadBudget } from "./load-budget.ts";

/** A cap as it stands. Without numbers it is one of each run by itself. */
export interface CapStanding extends Cap {
  readonly standing: {
    readonly spent: number;
    readonly reserved: number;
    /** Never below 0. */
    readonly left: number;
    /** null: bit by bit, or never by itself. */
    readonly resetsAt: number | null;
  } | null;
}

export interface BudgetReport {
  /** In the order written; or every problem of the files that hold them. */
  readonly caps: Result<readonly CapStanding[]>;
  /** Text of those files, for code frames. */
  readonly sources: Readonly<Record<string, string>>;
  /** Reservations that are held now, the first of them. */
  readonly open: readonly OpenReservation[];
  readonly hasMore: boolean;
}

const MOST_OPEN = 50;

export interface BudgetParts {
  readonly root: string;
  readonly budgetFile: Setting<string>;
  readonly clock: Clock;
  /** null: nothing was ever spent here. */
  readonly ledger: Ledger | null;
}

/** `isPattern`: of runs of a pattern, which may be one that comes with Pawl. */
export async function budgetOf(parts: BudgetParts, level: Level, isPattern = false): Promise<BudgetReport> {
  const { clock, ledger } = parts;
  const { spec, sources } = await loadBudget(parts, isPattern);
  const page = await ledger?.open({ limit: MOST_OPEN });
  const [open, hasMore] = [page?.reservations ?? [], (page?.next ?? null) !== null];
  if (!spec.ok) return { caps: spec, sources, open, hasMore };
  const stands: CapStanding[] = [];
  for (const cap of spec.value(level).caps)
    stands.push({ ...cap, standing: isPerRun(cap) ? null : await stand(ledger, cap, clock.now()) });
  return { caps: ok(stands), sources, open, hasMore };
}

function isPerRun({ account, window }: Cap): boolean {
  return account.scope === "run" || window === "run";
}

async function stand(ledger: Ledger | null, cap: Cap, now: number): Promise<NonNullable<CapStanding["standing"]>> {
  const all = (await ledger?.standing([cap.account], now, cap.offsetMinutes)) ?? [];
  const found = all.find(({ unit }) => unit === cap.unit);
  const [spent, reserved] = [found?.spent[cap.window] ?? 0, found?.reserved ?? 0];
  const resetsAt = cap.window === "day" ? nextDay(cap, now) : null;
  return { spent, reserved, left: Math.max(0, cap.amount - spent - reserved), resetsAt };
}

/** Those that a run of this blueprint has to keep. Whose a run is, and which provider it asks, is known only then. */
export function capsOfLoop<C extends Cap>(caps: readonly C[], loop: string): readonly C[] {
  const own: Account = { scope: "loop", name: loop };
  return caps.filter(({ account }) => account.scope !== "loop" || isSameAccount(account, own));
}

/** Of the daily token caps of a loop, the one with the least left; null: there is none. */
export function tightestDay(caps: readonly CapStanding[], loop: string): CapStanding | null {
  const daily = capsOfLoop(caps, loop).filter(
    ({ account, unit, window, standing }) =>
      unit === "tokens" && window === "day" && standing !== null && account.scope !== "provider",
  );
  const leftOf = ({ standing }: CapStanding): number => standing?.left ?? Number.POSITIVE_INFINITY;
  return daily.reduce<CapStanding | null>(
    (least, cap) => (least === null || leftOf(cap) < leftOf(least) ? cap : least),
    null,
  );
}
