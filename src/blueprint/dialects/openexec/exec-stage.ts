/** One stage of OpenExec, of either form. */
import type { Problems } from "../../problems.ts";
import type { Given } from "../../shapes/shape.ts";
import { keysOf, type Tree } from "../../text/tree.ts";
import type { ActionName, StageFound } from "./blueprint-fields.ts";

export interface ExecStage {
  readonly id: string;
  readonly title: string | null;
  readonly isAgent: boolean;
  readonly toolset: string | null;
  readonly action: ActionName | null;
  readonly commands: readonly string[];
  readonly goal: string | null;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Where it leads: a stage or a terminal of ours. */
  readonly onSuccess: string;
  /** null: the run fails. */
  readonly onFailure: string | null;
  /** Besides the first try. */
  readonly retries: number;
  readonly timeoutMs: number | null;
  readonly approval: boolean;
  readonly checkpoint: boolean;
  readonly gates: boolean;
}

/** What the project around it has. */
export interface ExecSurroundings {
  /** Whether openexec.yaml has gates. */
  readonly hasGates: boolean;
}

/** What holds for all stages of a blueprint. */
export interface ExecDefaults {
  readonly isMap: boolean;
  readonly ids: readonly string[];
  readonly alwaysAsks: boolean;
  readonly retries: number;
  readonly toolset: string | null;
}

interface Parts extends ExecSurroundings, ExecDefaults {
  readonly problems: Problems;
}

const TERMINALS: Readonly<Record<string, string>> = {
  done: "done",
  complete: "done",
  completed: "done",
  fail: "fail",
  failed: "fail",
  paused: "paused",
};
const TAKES_COMMANDS: readonly ActionName[] = ["run_linters", "run_tests"];

export function isTerminal(name: string): boolean {
  return Object.hasOwn(TERMINALS, name);
}

export function stageOf(
  id: string,
  { value, node }: Given<StageFound>,
  next: string | undefined,
  parts: Parts,
): ExecStage {
  const { problems, isMap } = parts;
  const isAgent = value.type?.value !== "deterministic";
  const retries = one([value.retry_limit, value.max_retries], "retry_limit", "max_retries", problems);
  const goal = one([value.goal, value.prompt], "goal", "prompt", problems);
  checkKind(value, node, isAgent, problems);
  checkGates(value, parts);
  return {
    id,
    title: value.name?.value ?? value.description?.value ?? null,
    isAgent,
    toolset: value.toolset?.value ?? null,
    action: value.action?.value ?? null,
    commands: textsOf(value.commands),
    goal: goal ?? null,
    inputs: textsOf(value.inputs),
    outputs: textsOf(value.outputs),
    // A list goes on with the next; a map has no next.
    onSuccess: leadsTo(value.on_success, parts) ?? (isMap ? "done" : (next ?? "done")),
    onFailure: leadsTo(value.on_failure, parts) ?? null,
    retries: retries ?? parts.retries,
    timeoutMs: value.timeout?.value ?? null,
    approval: asks(value, isAgent, parts),
    checkpoint: value.create_checkpoint?.value === true,
    gates: value.run_quality_gates?.value === true,
  };
}

function textsOf(given: Given<Given<string>[]> | undefined): readonly string[] {
  return (given?.value ?? []).map(({ value }) => value);
}

/** What releases is asked about, whoever wrote the blueprint. */
function asks({ approval_required, toolset }: StageFound, isAgent: boolean, { alwaysAsks, ...all }: Parts): boolean {
  const releases = isAgent && (toolset?.value ?? all.toolset) === "release_ops";
  return alwaysAsks || releases || approval_required?.value === true;
}

function one<T>(
  given: readonly (Given<T> | undefined)[],
  first: string,
  second: string,
  problems: Problems,
): T | undefined {
  const [found, other] = given.filter((value) => value !== undefined);
  if (other !== undefined) problems.report("BLUEPRINT_STAGE_TWO_VERBS", { first, second }, other.key);
  return found?.value;
}

function checkGates({ run_quality_gates: gates }: StageFound, { problems, hasGates }: Parts): void {
  if (gates?.value !== true || hasGates) return;
  const expected = "a project whose openexec.yaml has quality gates";
  problems.report("BLUEPRINT_VALUE_INVALID", { field: "run_quality_gates", expected, found: "none" }, gates.node);
}

/** An agent needs a goal; what needs no agent, an action or commands. Neither has what the other needs. */
function checkKind(value: StageFound, node: Tree, isAgent: boolean, problems: Problems): void {
  if (value.type === undefined) return;
  const place = isAgent ? "an agent stage" : "a deterministic stage";
  const belongs = isAgent ? "deterministic stages" : "agent stages";
  const foreign = isAgent ? (["action", "commands"] as const) : (["goal", "prompt", "toolset"] as const);
  for (const key of foreign) {
    const given = value[key];
    if (given !== undefined) problems.report("BLUEPRINT_KEY_MISPLACED", { key, place, belongs }, given.key);
  }
  const needs = isAgent ? ["goal", "prompt"] : ["commands", "action"];
  const about = isAgent ? "What the agent is to do." : "What is done: nothing would pass as success.";
  const at = { start: node.start, end: node.start + 1 };
  if (!keysOf(node).some((key) => needs.includes(key)))
    problems.report("BLUEPRINT_KEY_MISSING", { key: needs[0] as string, place, about }, at);
  checkAction(value, at, problems);
}

function checkAction(
  { action, commands, inputs }: StageFound,
  at: { start: number; end: number },
  problems: Problems,
): void {
  if (action === undefined) return;
  if (commands !== undefined && !TAKES_COMMANDS.includes(action.value))
    problems.report("BLUEPRINT_STAGE_TWO_VERBS", { first: "action", second: "commands" }, commands.key);
  if (action.value === "apply_patch" && inputs?.value.length !== 1) {
    const about = "The one output that holds the patch.";
    problems.report("BLUEPRINT_KEY_MISSING", { key: "inputs", place: "an apply_patch stage", about }, at);
  }
}

function leadsTo(given: Given<string> | undefined, { problems, ids }: Parts): string | undefined {
  if (given === undefined) return undefined;
  const { value, node } = given;
  if (isTerminal(value)) return TERMINALS[value];
  if (!ids.includes(value)) {
    const data = { target: value, known: ids.join(", "), ...problems.guess(value, ids) };
    problems.report("BLUEPRINT_ROUTE_TARGET_UNKNOWN", data, node);
  }
  return value;
}
