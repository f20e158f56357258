/** Skills as tools: an agent or a plan calls `skill__name` like any other, through the same toolbox. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { CallEnd, CallEnding } from "../plans/run-step.ts";
import type { Tool, ToolTimeout } from "../tools/tool.ts";
import type { SkillCode, SkillResult } from "./run-skill.ts";
import { type Skill, type SkillCallable, skillToolName } from "./skill.ts";

/** What became of each call, by its id: more than the words that a model is told. */
export type SkillEnds = Map<string, Pick<CallEnd, "ending" | "code">>;

const ENDINGS: Partial<Readonly<Record<SkillCode, CallEnding>>> = {
  SKILL_NOT_LOADED: "denied",
  SKILL_POLICY_REJECTED: "denied",
  SKILL_INPUT_INVALID: "invalid_input",
  SKILL_CIRCUIT_OPEN: "circuit_open",
  SKILL_RESOURCE_EXHAUSTED: "resource_exhausted",
  SKILL_EXECUTION_TIMEOUT: "timeout",
};
const ANYTHING: JsonObject = { type: "object" };
const MEDIUM_MS = 60_000;
const FAST_MS = 10_000;

export function skillTool(
  skill: Skill,
  callable: SkillCallable,
  perform: (input: JsonObject, signal: AbortSignal) => Promise<SkillResult>,
  ends: SkillEnds = new Map(),
): Tool {
  const name = skillToolName(skill.id);
  return {
    name,
    summary: callable.summary,
    input: objectSchema(callable.input),
    risk: callable.risk,
    timeout: timeoutClass(callable.timeoutMs),
    idempotent: false,
    requests: (input) => [{ kind: "tool", tool: name, args: input }],
    async run(input, { signal, callId }) {
      const { status, output, error } = await perform(input, signal);
      if (status === "success") return { ok: true, output };
      const ending = error === null ? "cancelled" : (ENDINGS[error.code] ?? "error");
      ends.set(callId, { ending, code: error?.code ?? null });
      return { ok: false, error: error === null ? "it was cancelled" : `${error.code}: ${error.message}` };
    },
  };
}

/** A tool takes an object. */
function objectSchema(schema: JsonObject | null): JsonObject {
  return isJsonObject(schema) && schema["type"] === "object" ? schema : ANYTHING;
}

/** The toolbox gives a little more than the skill has: the skill ends itself, and says why. */
function timeoutClass(ms: number): ToolTimeout {
  if (ms < FAST_MS) return "fast";
  return ms < MEDIUM_MS ? "medium" : "long";
}
