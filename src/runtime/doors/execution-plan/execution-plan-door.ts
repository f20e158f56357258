/** An ExecutionPlan of openbotstack, in a JSON file: one stage that executes it, with its log as the answer. */
import { stringify } from "yaml";
import { diagnose } from "../../../base/diagnostic.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { failed, ok, type Result } from "../../../base/result.ts";
import { nativeName } from "../../../blueprint/dialects/openexec/as-blueprint.ts";
import { parseText } from "../../../blueprint/parse-text.ts";
import { createSource, type Source } from "../../../blueprint/text/source.ts";
import { keysOf, type Tree } from "../../../blueprint/text/tree.ts";
import { limitsWithin } from "../../../harness/plans/reading/execution-plan.ts";
import { readExecutionPlan } from "../../../harness/plans/reading/read-plan.ts";
import { createBuiltInTools } from "../../../harness/tools/built-in-tools.ts";
import { EXECUTION_ERRORS } from "../../../ports/agents/execution-errors.ts";
import { type Door, isOfKind } from "../door.ts";
import { locate } from "./locate.ts";

/** Steps of such a risk begin only when a person has agreed. */
const ASKS: readonly JsonValue[] = ["clinical", "critical"];
const ENDS = ["success", "failed", "timeout", "canceled", "rejected"];

export const executionPlanDoor: Door = {
  name: "execution_plan",
  claims({ shown, text }) {
    if (text === null || !shown.endsWith(".json")) return false;
    return isOfKind(text, shown, hasSign);
  },
  read({ shown, text }) {
    const origin = { door: "execution_plan", path: shown } as const;
    return Promise.resolve({ text: translate(text ?? "", shown), origin, sources: { [shown]: text ?? "" } });
  },
  // Any JSON file could be one: those that are run are named.
  list: () => Promise.resolve([]),
};

function hasSign(tree: Tree): boolean {
  const keys = keysOf(tree);
  return keys.includes("steps") && !keys.includes("stages");
}

function translate(text: string, shown: string): Result<string> {
  const parsed = parseText(text, shown, (tree) => tree);
  if (!parsed.ok) return parsed;
  const source = createSource(text.replace(/^\uFEFF/, ""), shown);
  const json = jsonIn(source);
  if (!json.ok) return json;
  const { value: plan } = json;
  const tools = new Set(createBuiltInTools({ env: {}, proxy: null }).map(({ name }) => name));
  const { steps } = limitsWithin({});
  const read = readExecutionPlan(plan, { tools, steps, parent: null, done: new Set(), plans: new Set() });
  if (read.ok) return ok(stringify(nativeOf(plan, shown), { lineWidth: 0, aliasDuplicateObjects: false }));
  return failed(
    read.problems.map((problem) => ({
      ...problem,
      where: source.span(locate(parsed.value, String(problem.data?.["at"] ?? ""))),
    })),
  );
}

/** YAML may be more than JSON: what is only the former is no plan. */
function jsonIn(source: Source): Result<JsonObject> {
  const found = parsedJson(source.text);
  if (isJsonObject(found)) return ok(found);
  const problem =
    "is no JSON of an object, which has no comment, no comma too many, and quotes around each key and text";
  const where = source.span({ start: 0, end: 1 });
  return failed([diagnose(EXECUTION_ERRORS, "EXECUTION_PLAN_INVALID", { at: "the plan", problem }, where)]);
}

function parsedJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

function nativeOf(plan: JsonObject, shown: string): JsonObject {
  const steps = plan["steps"] as readonly JsonObject[];
  const asks = steps.some(({ risk_level: risk }) => ASKS.includes(risk ?? null));
  const names = steps.map(({ name }) => String(name)).join(", ");
  const question = `May this plan run? It calls ${names}.`.slice(0, 1000).replaceAll("${", "$ {");
  const ends = ENDS.map((end) => [end, end === "success" ? "done" : "fail"] as const);
  return {
    version: 1,
    name: nativeName(String(plan["id"] ?? shown)),
    policy: {
      use: ["everyday"],
      allow: [{ action: "agent.plan" }, { read: "**" }, { edit: "**" }, { tool: "*" }],
    },
    stages: [
      ...(asks ? [{ id: "approval", gate: { approval: { question } }, on: { pass: "execute", fail: "fail" } }] : []),
      {
        id: "execute",
        agent: { use: "plan", goal: "Execute the plan.", outcomes: ENDS, with: { plan: literal(plan) } },
        timeout: "6m",
        on: Object.fromEntries(ends),
      },
    ],
  };
}

/** `${` stands for itself. */
function literal(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map((item: JsonValue) => literal(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, literal(member ?? null)]));
}
