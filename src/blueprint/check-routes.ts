/** Do the routes fit together: outcomes the stage can have, targets that exist, no stage that nothing leads to. */
import { ESCALATION, stageName, TERMINALS } from "./fields.ts";
import { isGoodOutcome, outcomesOf } from "./gate/outcomes.ts";
import type { Problems } from "./problems.ts";
import { NAME } from "./shapes/value-shapes.ts";
import type { StageDraft } from "./stage-draft.ts";

const MOST_LISTED = 12;

export function checkRoutes(
  stages: readonly StageDraft[],
  byId: ReadonlyMap<string, StageDraft>,
  problems: Problems,
): void {
  const names = [...byId.keys(), ...TERMINALS, ESCALATION];
  let isComplete = true;
  for (const stage of stages) {
    checkOutcomes(stage, problems);
    const { below } = stage;
    const ways = stage.routes.filter(({ value }) => !isTerminal(value.target));
    const targets = ways.map(({ value, start, end }) => ({ value: value.target, start, end }));
    for (const { value: target, start, end } of [...targets, ...(below === undefined ? [] : [below])]) {
      if (byId.has(target)) continue;
      isComplete = false;
      const data = { target, known: listed(names), ...problems.guess(target, names) };
      problems.report("BLUEPRINT_ROUTE_TARGET_UNKNOWN", data, { start, end });
    }
  }
  // With a target missing, what it was meant to lead to only looks unreachable.
  if (isComplete) checkReachable(stages, byId, problems);
}

function isTerminal(target: string): boolean {
  return TERMINALS.includes(target) || target === ESCALATION;
}

/** Names for a message: not more than a person reads. */
export function listed(names: Iterable<string>): string {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length === MOST_LISTED) return `${shown.join(", ")} and more`;
    shown.push(name);
  }
  return shown.length === 0 ? "none" : shown.join(", ");
}

function checkOutcomes({ spec, kind, routes }: StageDraft, problems: Problems): void {
  const possible = outcomesOf(spec);
  const lines = new Map<string, number>();
  for (const { value, start, end } of routes) {
    const { outcome } = value;
    const line = lines.get(outcome);
    if (line !== undefined) problems.report("BLUEPRINT_ROUTE_DUPLICATE", { outcome, line }, { start, end });
    lines.set(outcome, line ?? problems.source.span({ start, end }).line);
    if (kind === undefined || possible.includes(outcome) || !NAME.pattern.test(outcome)) continue;
    const data = {
      outcome,
      place: stageName(kind),
      known: possible.join(", "),
      ...problems.guess(outcome, possible),
    };
    problems.report("BLUEPRINT_ROUTE_OUTCOME_UNKNOWN", data, { start, end });
  }
}

function checkReachable(
  stages: readonly StageDraft[],
  byId: ReadonlyMap<string, StageDraft>,
  problems: Problems,
): void {
  const next = new Map(stages.map((stage, index) => [stage, stages[index + 1]]));
  const reached = new Set<StageDraft>();
  const waiting = stages.slice(0, 1);
  for (let stage = waiting.pop(); stage !== undefined; stage = waiting.pop()) {
    if (reached.has(stage)) continue;
    reached.add(stage);
    waiting.push(...targetsOf(stage, next.get(stage), byId));
  }
  for (const stage of stages) {
    if (stage.id === undefined || reached.has(stage)) continue;
    problems.report("BLUEPRINT_STAGE_UNREACHABLE", { id: stage.id }, stage);
  }
}

/** Success leads to the next stage unless a route says otherwise; every other outcome leads on only by a route. */
function targetsOf(
  { spec, routes, below }: StageDraft,
  next: StageDraft | undefined,
  byId: ReadonlyMap<string, StageDraft>,
): StageDraft[] {
  // A run that paused after a stage went well goes on with the next one, as if nothing had been routed.
  const isRouted = routes.some(({ value }) => isGoodOutcome(value.outcome) && value.target !== "paused");
  const targets = routes.map(({ value }) => byId.get(value.target));
  const leadsOn = !isRouted && outcomesOf(spec).some(isGoodOutcome);
  const instead = below === undefined ? undefined : byId.get(below.value);
  return [leadsOn ? next : undefined, ...targets, instead].filter((target) => target !== undefined);
}
