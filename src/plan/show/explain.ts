/** explain: a plan as text for a person, before anything runs: its stages, what policy says, its limits, its worst case. */
import { formatDuration } from "../../base/duration.ts";
import { canonical, type JsonValue } from "../../base/json.ts";
import { formatUsd } from "../../base/usage.ts";
import { visible, visibleLine } from "../../base/visible.ts";
import type { WorkspaceSpec } from "../../blueprint/blueprint.ts";
import { STAGNATION_NAMES, STAGNATION_RULES } from "../../limits/stagnation/thresholds.ts";
import type { Bound, Origin, Plan, PlanLimits, Target } from "../plan.ts";
import { explainJson, type PlanView, type StageRow } from "./view.ts";

const LONGEST_CELL = 48;
const SHORT_NAME = 12;
const HEAD = ["STAGE", "KIND", "RUNS", "EFFECT", "TRIES", "TIMEOUT", "VISITS", "SANDBOX", "POLICY", "ROUTES"] as const;

/** `cut`: stages of the blueprint that the level leaves out; see `cutStages`. */
export function explainPlan(plan: Plan, cut: readonly string[] = []): string {
  const view = explainJson(plan, cut);
  const parts = [
    section("Plan", view),
    ...view.children.map((child) => section("Child", child)),
    worstLines(view.bound),
  ];
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Where an outcome leads, in a few words. */
export function describeTarget(target: Target): string {
  if ("to" in target) return target.back ? `↺ ${visible(target.to)}` : visible(target.to);
  if (target.resume !== undefined) return `${target.end}, then ${describeTarget(target.resume)}`;
  return target.cut === undefined ? target.end : `${target.end} (before ${visible(target.cut)})`;
}

function section(word: string, view: PlanView): readonly string[] {
  const note = view.level === "L0" ? " (plans only, nothing runs)" : "";
  return [
    `${word} ${visible(view.name)}  level ${view.level}${note}  ${view.fingerprint.slice(0, SHORT_NAME)}`,
    ...originLines(view.origin),
    ...paramLines(view.params),
    "",
    ...table([HEAD, ...view.stages.map(cells)]),
    ...(view.cut.length === 0 ? [] : ["", `Cut at ${view.level}: ${view.cut.map((id) => visible(id)).join(", ")}`]),
    ...taintLines(view.stages),
    ...quotaLines(view.stages),
    "",
    `Works in  ${describeWorkspace(view.workspace)}`,
    `Limits    ${describeLimits(view.limits)}`,
    ...stagnationLines(view.limits),
    ...hidingLines(view.hidingPrograms),
  ];
}

function originLines(origin: Origin | undefined): readonly string[] {
  if (origin === undefined) return [];
  const { door, path, item } = origin;
  return [`  from ${door}: ${visible(path)}${item === undefined ? "" : ` (${visible(item)})`}`];
}

function paramLines(params: JsonValue): readonly string[] {
  return Object.entries(params as Readonly<Record<string, JsonValue>>).map(
    ([name, value]) => `  ${visible(name)} = ${visibleLine(canonical(value), LONGEST_CELL)}`,
  );
}

function cells(row: StageRow): readonly string[] {
  return [
    visible(row.stage),
    row.kind,
    visibleLine(row.runs, LONGEST_CELL),
    row.kind === "group" ? "-" : row.effect,
    row.kind === "group" ? "-" : String(row.maxAttempts),
    row.kind === "approval" ? "-" : formatDuration(row.timeoutMs),
    String(row.visits),
    describeWall(row),
    describePolicy(row),
    row.routes.map(({ outcome, target }) => `${outcome} → ${describeTarget(target)}`).join(" · "),
  ];
}

function taintLines(rows: readonly StageRow[]): readonly string[] {
  const tainted = rows.filter(({ taint }) => taint.length > 0);
  if (tainted.length === 0) return [];
  const lines = tainted.map(({ stage, taint, wall }) => {
    const from = taint.map((source) => visible(source)).join(", ");
    return `  ${visible(stage)} reads third-party text from ${from}${wall === null ? "" : ": read only, no network"}`;
  });
  return ["", "Taint", ...lines];
}

/** Where a refusal is no failure: the run rests then, for as long as it takes. */
function quotaLines(rows: readonly StageRow[]): readonly string[] {
  const lines = rows.flatMap(({ stage, quota }) => {
    if (quota === undefined) return [];
    const whose = quota === "any" ? "any vendor" : quota;
    return `  ${visible(stage)} rests when ${whose} says that a limit is reached, until it is over; no failure, no attempt, not in the worst case`;
  });
  return lines.length === 0 ? [] : ["", "Quota", ...lines];
}

function describeWall({ wall, models }: StageRow): string {
  if (wall === null) return "-";
  const hosts = wall.network.length === 0 ? "" : ` + ${wall.network.length} hosts`;
  return `${wall.sandbox}${hosts}${models === undefined ? "" : " + models"}`;
}

function describeWorkspace(workspace: WorkspaceSpec | null): string {
  if (workspace === null) return "no workspace: it starts no process";
  if (workspace.kind === "directory") return "the project folder, read-only";
  const from = workspace.from === "head" ? "the commit that is checked out" : "the files as they lie there";
  const copies =
    workspace.share.length === 0 ? "" : `, with a copy of ${workspace.share.map((path) => visible(path)).join(", ")}`;
  return `a ${workspace.kind === "clone" ? "private clone" : "linked worktree"} of ${from}${copies}`;
}

function describePolicy(row: StageRow): string {
  if (row.policy !== null) return `${row.policy.effect} (${visible(row.policy.rule)})`;
  if (row.kind === "group") return "by member";
  if (row.kind === "approval") return "a person";
  // Looking at what is stored changes nothing, so nobody is asked.
  if (row.kind === "inspection") return "not asked";
  return row.kind === "run" ? "by stage" : "at run time";
}

function describeLimits(limits: PlanLimits): string {
  const { stages, wallMs, rounds, consecutiveFailures, tokens, microUsd, turns, spawns, depth } = limits;
  const set = [
    stages === null ? [] : `stages ${stages}`,
    wallMs === null ? [] : `wall ${formatDuration(wallMs)}`,
    rounds === null ? [] : `rounds ${rounds}`,
    consecutiveFailures === null ? [] : `consecutive failures ${consecutiveFailures}`,
    tokens === null ? [] : `tokens ${tokens}`,
    microUsd === null ? [] : `money ${formatUsd(microUsd)}`,
    turns === undefined ? [] : `turns ${turns}`,
    spawns === undefined ? [] : `child runs ${spawns}`,
    depth === undefined ? [] : `depth ${depth}`,
  ].flat();
  return set.length === 0 ? "none of its own" : set.join(" · ");
}

/** Where nothing leads back, nothing repeats. */
function stagnationLines({ stagnation }: PlanLimits): readonly string[] {
  if (stagnation === undefined) return [];
  return [`Stuck at  ${STAGNATION_RULES.map((rule) => `${STAGNATION_NAMES[rule]} ${stagnation[rule]}`).join(" · ")}`];
}

/** The rules hold for every command that can be seen; these start others that cannot. */
function hidingLines(programs: readonly string[]): readonly string[] {
  if (programs.length === 0) return [];
  const names = programs.map((name) => visible(name)).join(", ");
  return [`Hidden    ${names} could run a command that your deny and ask rules do not see`];
}

function worstLines(bound: Bound): readonly string[] {
  return [
    "Worst case",
    `  stages  ${bound.stages} started, every attempt and child run counted`,
    `  wall    ${formatDuration(bound.wallMs)}, without waiting for people`,
    `  tokens  ${bound.tokens}`,
    `  money   ${formatUsd(bound.microUsd)}`,
    ...(bound.turns === 0 ? [] : [`  turns   ${bound.turns} calls to models`]),
    ...(bound.spawns === 0 ? [] : [`  spawns  ${bound.spawns}, child runs of child runs counted`]),
  ];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEAD.map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] as string).length), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd(),
  );
}
