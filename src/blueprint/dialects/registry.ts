/**
 * `patterns/registry.yaml` of loop-engineering: its patterns, what they are estimated to cost, and the caps it suggests. A cost
 * is closed however the rest is read: a cap that nobody knows would be held by nobody.
 */
import { diagnose, type Span } from "../../base/diagnostic.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import type { Cadence, CostLevel, PatternCosts } from "../../limits/cost/estimate.ts";
import type { Cap } from "../../limits/ledger/cap.ts";
import { parseText } from "../parse-text.ts";
import type { Given } from "../shapes/shape.ts";
import type { MapNode, Tree } from "../text/tree.ts";
import { DIALECT_ERRORS } from "./errors.ts";
import { type CostFound, PATTERN_FIELDS, type PatternFound, REGISTRY, type RegistryMode } from "./registry-fields.ts";

export interface Pattern {
  readonly id: string;
  /** The name that people, and `loop-budget.md`, call it by. */
  readonly name: string;
  /** Its document, in the folder of the registry. */
  readonly file: string;
  readonly goal: string;
  readonly cadence: Cadence & { readonly written: string };
  readonly risk: "low" | "medium" | "high";
  /** Programs that can host the loop; the registry calls them tools. */
  readonly hosts: readonly string[];
  readonly skills: readonly string[];
  /** Its state file, at the root of the project. */
  readonly state: string;
  readonly phases: readonly string[];
  /** What needs a person, in words of the author. */
  readonly humanGates: readonly string[];
  readonly starter: string | null;
  readonly weekOneLevel: CostLevel | null;
  /** Its cost in a word. */
  readonly tokenCost: "low" | "medium" | "high" | "very-high" | null;
  /** null: the registry says nothing about cost. */
  readonly costs: PatternCosts | null;
  /** Fields that the schema does not know; none when it was read strictly. */
  readonly unknown: JsonObject;
  readonly where: Span;
  /** Where the cap stands. */
  readonly capWhere: Span | null;
}

export function parseRegistry(source: string, file: string, mode: RegistryMode): Result<readonly Pattern[]> {
  const parsed = parseText(source, file, (tree, reading) => {
    const found = REGISTRY[mode].read(tree, reading, "the registry")?.patterns;
    const span = reading.problems.source.span;
    return found?.value.map(({ value, node }) => {
      const cap = value.cost?.value.suggested_daily_cap;
      return patternOf(value, node, span(value.id?.node ?? node), cap === undefined ? null : span(cap.node));
    });
  });
  if (!parsed.ok) return parsed;
  const repeated = parsed.value.flatMap((pattern, at) => {
    const first = parsed.value.findIndex(({ id }) => id === pattern.id);
    const line = (parsed.value[first] as Pattern).where.line;
    const data = { id: pattern.id, line };
    return first === at ? [] : [diagnose(DIALECT_ERRORS, "REGISTRY_PATTERN_REPEATED", data, pattern.where)];
  });
  return repeated.length > 0 ? failed(repeated) : ok(parsed.value);
}

/** The patterns as they stand there, once all of them can be read. */
export function rowsOfRegistry(source: string, file: string): Result<readonly JsonObject[]> {
  const patterns = parseRegistry(source, file, "lenient");
  if (!patterns.ok) return patterns;
  return parseText(source, file, (tree) => (jsonOf(tree) as { readonly patterns: JsonObject[] }).patterns);
}

/** What is missing was reported, and then nobody gets the result. */
function patternOf(found: PatternFound, node: Tree, where: Span, capWhere: Span | null): Pattern {
  const { cost, tools, phases, skills, human_gates: gates } = found;
  return {
    id: given(found.id, ""),
    name: given(found.name, ""),
    file: given(found.file, ""),
    goal: given(found.goal, ""),
    cadence: given(found.cadence, { written: "", fastestMs: 0, slowestMs: 0 }),
    risk: given(found.risk, "high"),
    hosts: wordsOf(tools),
    skills: wordsOf(skills),
    state: given(found.state, ""),
    phases: wordsOf(phases),
    humanGates: wordsOf(gates),
    starter: given<string | null>(found.starter, null),
    weekOneLevel: given<CostLevel | null>(found.week_one_mode, null),
    tokenCost: given<Pattern["tokenCost"]>(found.token_cost, null),
    costs: cost === undefined ? null : costsOf(cost.value),
    unknown: unknownOf(node),
    where,
    capWhere,
  };
}

function costsOf(found: CostFound): PatternCosts {
  return {
    noop: given(found.tokens_noop, 0),
    report: given(found.tokens_report, 0),
    action: given(found.tokens_action, 0),
    stableFraction: given(found.stable_fraction, 0),
    dailyCap: given(found.suggested_daily_cap, 0),
    needsEarlyExit: given(found.early_exit_required, true),
  };
}

function given<T>(field: Given<T> | undefined, otherwise: T): T {
  return field === undefined ? otherwise : field.value;
}

function wordsOf(field: Given<readonly Given<string>[]> | undefined): readonly string[] {
  return field === undefined ? [] : field.value.map(({ value }) => value);
}

function unknownOf(node: Tree): JsonObject {
  // Whatever was read as a pattern is a map.
  const { entries } = node as MapNode;
  return Object.fromEntries(
    entries.flatMap(({ key, value }) => (Object.hasOwn(PATTERN_FIELDS, key) ? [] : [[key, jsonOf(value)]])),
  );
}

function jsonOf(node: Tree): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(jsonOf);
  return node.kind === "map" ? Object.fromEntries(node.entries.map(({ key, value }) => [key, jsonOf(value)])) : null;
}

/** The caps that the registry suggests: tokens a day, for the loop that has the id of the pattern. */
export function capsOfRegistry(patterns: readonly Pattern[]): readonly Cap[] {
  return patterns.flatMap(({ id, costs, capWhere }) => {
    if (costs === null || capWhere === null) return [];
    const { file, line, column } = capWhere;
    const source = `${file}:${line}:${column}`;
    return [
      { account: { scope: "loop", name: id }, unit: "tokens", window: "day", amount: costs.dailyCap, source } as const,
    ];
  });
}
