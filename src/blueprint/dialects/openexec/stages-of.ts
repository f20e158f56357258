/** A stage of OpenExec → the stages it becomes: a question before it, itself, and what is done with what it leaves. */
import { formatDuration } from "../../../base/duration.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { ExecStage } from "./exec-stage.ts";
import type { ExecGate } from "./parse-project.ts";
import { type ExecProgram, literal, programOf, written } from "./program-of.ts";

/** What holds where a stage does not say: five minutes, ten for an agent. */
const TIMEOUT_MS = 300_000;
const AGENT_TIMEOUT_MS = 600_000;
/** Of one attempt of an agent. */
const MODELS = { tokens: "1m", usd: 5 };
/** The names of the parameters that hold the commands of the project. */
const PARAMS = { run_linters: "lint", run_tests: "test" } as const;

export interface StagesAround {
  readonly stages: readonly ExecStage[];
  readonly gates: readonly ExecGate[];
}

/** The parameter that a stage takes its command from; null: it takes none. */
export function paramOf({ action, commands }: ExecStage): "lint" | "test" | null {
  return commands.length === 0 && (action === "run_linters" || action === "run_tests") ? PARAMS[action] : null;
}

/** The program of a stage as far as it has one of its own. */
export function ownProgram(stage: ExecStage): ExecProgram | null {
  if (stage.action === "build_context_pack") return ["git", "ls-files"];
  return stage.commands.length === 0 ? null : programOf(stage.commands);
}

/**
 * Whether what a stage runs is a judgement: its actions for that, and commands whose failure leads to whoever mends it or whose
 * success ends the run. A gate sees a checkout of its own, so that what is judged cannot judge itself.
 */
function judges({ action, commands, onFailure, onSuccess }: ExecStage, ids: ReadonlySet<string>): boolean {
  if (action === "run_linters" || action === "run_tests") return true;
  return commands.length > 0 && (onSuccess === "done" || (onFailure !== null && ids.has(onFailure)));
}

export function nativeStages(stage: ExecStage, around: StagesAround): readonly JsonObject[] {
  const { stages, gates } = around;
  const entry = (target: string): string =>
    stages.some(({ id, approval }) => id === target && approval) ? `${target}-approval` : target;
  const failure = stage.onFailure === null ? {} : { on_failure: entry(stage.onFailure) };
  const checks = stage.gates ? gates.map((gate) => gateOf(stage.id, gate)) : [];
  const after = [...checks, ...(stage.checkpoint ? [{ id: `${stage.id}-checkpoint`, action: DIFF }] : [])];
  const ways = [...after.map(({ id }) => id), entry(stage.onSuccess)];
  return [
    ...(stage.approval ? [questionOf(stage)] : []),
    { ...ownStage(stage, around), on_success: ways[0] as string, ...failure },
    ...after.map((next, at) => ({ ...next, on_success: ways[at + 1] as string, ...failure })),
  ];
}

const DIFF = "generate_diff_report";
/** Actions that are ours by the same name, and what later stages get of each. */
export const OWN_ACTIONS = { [DIFF]: "diff", prepare_review_bundle: "diff", summarize_run: "summary" } as const;

function questionOf({ id, title, goal }: ExecStage): JsonObject {
  const about = (goal ?? title ?? "").slice(0, 500);
  const question = `May "${id}" begin?${about === "" ? "" : ` ${about}`}`.replaceAll("${", "$ {");
  return { id: `${id}-approval`, gate: { approval: { question } }, on: { pass: id, fail: "fail" } };
}

function gateOf(stage: string, { name, program, mode, timeoutMs }: ExecGate): JsonObject & { readonly id: string } {
  const tool = name === "lint" || name === "format" || name === "security" ? name : "custom";
  const judged = { command: written(program), tool, mode: mode === "warning" ? "warn" : "block" };
  return { id: `${stage}-${name}`, gate: { quality: judged }, timeout: formatDuration(timeoutMs ?? TIMEOUT_MS) };
}

function ownStage(stage: ExecStage, { stages }: StagesAround): JsonObject {
  const { id, title, isAgent, timeoutMs, retries } = stage;
  const inputs = inputsOf(stage, stages);
  const visits = visitsOf(stage, stages);
  return {
    id,
    ...(title === null ? {} : { title: title.slice(0, 200).replaceAll("${", "$ {") }),
    ...verbOf(stage, stages, inputs),
    max_attempts: retries + 1,
    ...(visits === null ? {} : { max_visits: visits }),
    timeout: formatDuration(timeoutMs ?? (isAgent ? AGENT_TIMEOUT_MS : TIMEOUT_MS)),
    ...(inputs.length === 0 ? {} : { inputs: [...inputs] }),
  };
}

function verbOf(stage: ExecStage, stages: readonly ExecStage[], inputs: readonly string[]): JsonObject {
  const { isAgent, goal, toolset, action } = stage;
  if (isAgent) {
    const told = { goal: `${literal(goal as string)}\n\n\${params.task}`, ...(toolset === null ? {} : { toolset }) };
    return { agent: told, models: MODELS };
  }
  if (action === "apply_patch") return { action, with: { artifact: inputs[0] as string } };
  if (isOwn(action)) return { action };
  const param = paramOf(stage);
  const command = param === null ? written(ownProgram(stage) as ExecProgram) : `\${params.${param}}`;
  return judges(stage, new Set(stages.map(({ id }) => id))) ? { gate: { command } } : { command };
}

/** What leads to a stage only when something failed is there to mend it: as often as its retries say, and once at least. */
function visitsOf(stage: ExecStage, stages: readonly ExecStage[]): number | null {
  return mends(stage, stages) ? Math.max(1, stage.retries) : null;
}

function mends({ id }: ExecStage, stages: readonly ExecStage[]): boolean {
  const follows = stages[0]?.id === id || stages.some(({ onSuccess }) => onSuccess === id);
  return !follows && stages.some(({ onFailure }) => onFailure === id);
}

/** The artifacts it names; and whoever mends reads what failed. */
function inputsOf(stage: ExecStage, stages: readonly ExecStage[]): readonly string[] {
  const named = stage.inputs.map((name) => artifactOf(makerOf(name, stage, stages)));
  const failing = stages.filter(({ id, onFailure }) => onFailure === stage.id && id !== stage.id);
  const [only] = failing;
  const failed = stage.isAgent && only !== undefined && failing.length === 1 ? [artifactOf(only)] : [];
  return [...new Set([...named, ...failed])];
}

/**
 * Of those that put out the same name: the last that stands before it, else the first. Who only mends may never have been there, and
 * comes last. That somebody puts it out was checked.
 */
function makerOf(name: string, stage: ExecStage, stages: readonly ExecStage[]): ExecStage {
  const makers = stages.filter(({ outputs }) => outputs.includes(name));
  const before = makers.filter((maker) => stages.indexOf(maker) < stages.indexOf(stage) && !mends(maker, stages));
  return (before.at(-1) ?? makers[0]) as ExecStage;
}

/** What a stage leaves: the log of a process, the talk of an agent, the patch of a report, the summary of a run. */
function artifactOf({ id, isAgent, action }: ExecStage): string {
  if (isAgent) return `${id}.transcript`;
  return `${id}.${isOwn(action) ? OWN_ACTIONS[action] : "log"}`;
}

function isOwn(action: ExecStage["action"]): action is keyof typeof OWN_ACTIONS {
  return action !== null && action in OWN_ACTIONS;
}
