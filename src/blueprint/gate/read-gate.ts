/** A gate → how it judges. Exactly one of its forms must be written. */
import type { ChangeRules, GateFileName, Judge, MetricSource, Program } from "../blueprint.ts";
import type { Reading } from "../shapes/shape.ts";
import { keysOf, type MapNode } from "../text/tree.ts";
import {
  type ChangeFound,
  GATE_FORMS,
  type GateFound,
  type GateKind,
  type MetricFound,
  type QualityFound,
  type TestsFound,
} from "./gate-fields.ts";

/** How long a question to a person stays open when nobody says otherwise. */
export const QUESTION_MS = 86_400_000;
const WEEK_MS = 7 * QUESTION_MS;

/** The kind follows from the first form that is written. */
export function gateKind(node: MapNode): GateKind {
  const form = formsOf(node)[0]?.key ?? "command";
  return GATE_FORMS[form] as GateKind;
}

function formsOf(node: MapNode): MapNode["entries"] {
  return node.entries.filter(({ key }) => Object.hasOwn(GATE_FORMS, key));
}

export interface ProcessGate {
  readonly program: Program | undefined;
  readonly judge: Judge;
}

export interface ChangeGate {
  readonly by: "change" | "merge";
  readonly rules: ChangeRules;
  readonly from?: GateFileName;
}

/** Reports a gate without a form or with two. */
export function checkGateForm(node: MapNode, { problems }: Reading): void {
  const written = formsOf(node);
  if (written.length !== 1) {
    const found = written.length === 0 ? "none" : written.map(({ key }) => key).join(" and ");
    problems.report("BLUEPRINT_GATE_FORM", { found, known: Object.keys(GATE_FORMS).join(", ") }, node);
  }
  const escalate = node.entries.find(({ key }) => key === "escalate");
  if (escalate !== undefined && !written.some(({ key }) => key === "command")) {
    const data = { key: "escalate", place: "this gate", belongs: "gates with a command" };
    problems.report("BLUEPRINT_KEY_MISPLACED", data, escalate.at);
  }
}

export function readProcessGate(found: GateFound | undefined, reading: Reading): ProcessGate {
  const { tests, metric, quality, command, escalate } = found ?? {};
  if (tests !== undefined) return { program: tests.value.command?.value, judge: testsJudge(tests.value) };
  if (metric !== undefined) {
    checkMetric(metric, reading);
    return { program: metric.value.command?.value, judge: metricJudge(metric.value) };
  }
  if (quality !== undefined) return { program: quality.value.command?.value, judge: qualityJudge(quality.value) };
  const escalateExits = (escalate?.value ?? []).map(({ value }) => value);
  return { program: command?.value, judge: { by: "exit", escalateExits } };
}

function testsJudge({ format, must, report, reruns, flaky_for }: TestsFound): Judge {
  return {
    by: "tests",
    format: format?.value ?? "auto",
    must: must?.value ?? "no_regress",
    report: report?.value ?? null,
    reruns: reruns?.value ?? 2,
    flakyMs: flaky_for?.value ?? WEEK_MS,
  };
}

function metricJudge({ regex, json, direction, must, target, tolerance, repeats }: MetricFound): Judge {
  const source: MetricSource = json === undefined ? { regex: regex?.value ?? "" } : { json: json.value };
  return {
    by: "metric",
    source,
    direction: direction?.value ?? "higher",
    must: must?.value ?? "no_regress",
    target: target?.value ?? null,
    tolerance: tolerance?.value ?? null,
    repeats: repeats?.value ?? 5,
  };
}

/** A pattern or path that could not be read was reported where it stands, so it is looked for by its key. */
function checkMetric({ value, node }: NonNullable<GateFound["metric"]>, { problems }: Reading): void {
  const keys = keysOf(node);
  const has = (key: string): boolean => keys.includes(key);
  const report = (problem: string): void => problems.report("BLUEPRINT_METRIC_FORM", { problem }, node);
  if (has("regex") === has("json")) report(has("regex") ? "has both regex and json" : "has neither regex nor json");
  const reaches = value.must?.value === "reach";
  if (reaches && !has("target")) report("must reach a value and has no target");
  if (!reaches && has("target")) report("has a target that it need not reach");
}

function qualityJudge({ tool, mode }: QualityFound): Judge {
  return { by: "quality", tool: tool?.value ?? "custom", mode: mode?.value ?? "block" };
}

export interface ApprovalGate {
  readonly question?: string;
  readonly expiresMs?: number;
  readonly remindMs?: number;
}

export function readApprovalGate(found: GateFound | undefined, { problems }: Reading): ApprovalGate {
  const { question, expires, remind } = found?.approval?.value ?? {};
  if (remind !== undefined && remind.value >= (expires?.value ?? QUESTION_MS)) {
    const data = { field: "remind", expected: "shorter than `expires`", found: "as long or longer" };
    problems.report("BLUEPRINT_VALUE_INVALID", data, remind.node);
  }
  return {
    ...(question === undefined ? {} : { question: question.value }),
    ...(expires === undefined ? {} : { expiresMs: expires.value }),
    ...(remind === undefined ? {} : { remindMs: remind.value }),
  };
}

export function readChangeGate(found: GateFound | undefined, reading: Reading): ChangeGate {
  const by = found?.merge === undefined ? "change" : "merge";
  const written = (found?.merge ?? found?.change)?.value ?? {};
  const { from } = written;
  return {
    by,
    rules: changeRules(written),
    ...(from === undefined ? {} : { from: { name: from.value, where: reading.problems.source.span(from.node) } }),
  };
}

function changeRules(found: ChangeFound): ChangeRules {
  const list = (given: ChangeFound["deny"]): readonly string[] =>
    [...new Set((given?.value ?? []).map(({ value }) => value))].sort();
  return {
    deny: list(found.deny),
    allow: found.allow === undefined ? null : list(found.allow),
    maxFiles: found.max_files?.value ?? null,
    maxLines: found.max_lines?.value ?? null,
    denied: found.denied?.value ?? "fail",
    beyond: found.beyond?.value ?? "escalate",
    dotfiles: found.dotfiles?.value ?? "escalate",
    modes: found.modes?.value ?? "escalate",
    links: found.links?.value ?? "escalate",
    submodules: found.submodules?.value ?? "escalate",
    lockfiles: found.lockfiles?.value ?? "escalate",
    ci: found.ci?.value ?? "escalate",
    binary: found.binary?.value ?? "escalate",
  };
}
