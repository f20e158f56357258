/** Do the routes fit together: outcomes the stage can have, targets that exist, no stage that nothing leads to. */
import { TERMINALS } from "./fields.ts";
import type { Problems } from "./problems.ts";
import type { StageDraft } from "./stage-draft.ts";
import { NAME } from "./value-shapes.ts";

export function checkRoutes(stages: readonly StageDraft[], byId: ReadonlyMap<string, StageDraft>, problems: Problems): void {
  let isComplete = true;
  for (const stage of stages) {
    checkOutcomes(stage, problems);
    for (const { value, start, end } of stage.routes) {
      if (TERMINALS.includes(value.target) || byId.has(value.target)) continue;
      isComplete = false;
      const names = [...byId.keys(), ...TERMINALS];
      const data = { target: value.target, known: listed(names), ...problems.guess(value.target, names) };
      problems.report("BLUEPRINT_ROUTE_TARGET_UNKNOWN", data, { start, end });
    }
  }
  // With a target missing, what it was meant to lead to only looks unreachable.
  if (isComplete) checkReachable(stages, byId, problems);
}

/** Names for a message: not more than a person reads. */
export function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  return names.length > 12 ? `${names.slice(0, 12).join(", ")} and ${names.length - 12} more` : names.join(", ");
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
    const data = { outcome, place: `a ${kind} stage`, known: possible.join(", "), ...problems.guess(outcome, possible) };
    problems.report("BLUEPRINT_ROUTE_OUTCOME_UNKNOWN", data, { start, end });
  }
}

function outcomesOf(spec: StageDraft["spec"]): readonly string[] {
  if (spec.kind !== "gate") return ["success", "failure"];
  return spec.escalateExits.length === 0 ? ["pass", "fail"] : ["pass", "fail", "escalate"];
}

/** Success leads to the next stage unless a route says otherwise; every other outcome leads on only by a route. */
function checkReachable(stages: readonly StageDraft[], byId: ReadonlyMap<string, StageDraft>, problems: Problems): void {
  const places = new Map(stages.map((stage, index) => [stage, index]));
  const reached = new Set<StageDraft>();
  const waiting = stages.slice(0, 1);
  for (let stage = waiting.pop(); stage !== undefined; stage = waiting.pop()) {
    if (reached.has(stage)) continue;
    reached.add(stage);
    const next = stages[(places.get(stage) as number) + 1];
    const leadsOn = !stage.routes.some(({ value }) => value.outcome === "success" || value.outcome === "pass");
    if (next !== undefined && leadsOn) waiting.push(next);
    for (const { value } of stage.routes) {
      const target = byId.get(value.target);
      if (target !== undefined) waiting.push(target);
    }
  }
  for (const stage of stages) {
    if (!reached.has(stage)) problems.report("BLUEPRINT_STAGE_UNREACHABLE", { id: stage.id ?? "" }, stage);
  }
}
