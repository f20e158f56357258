/** A tool that runs a plan which a model has made. */
import type { JsonObject } from "../../base/json.ts";
import { runPlan } from "../late.ts";
import type { Tool } from "../tools/tool.ts";
import type { RunPlanOptions } from "./run-plan.ts";

const INPUT: JsonObject = {
  type: "object",
  properties: {
    steps: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          step_id: { type: "string" },
          name: { type: "string", description: "The tool or skill to call." },
          type: { enum: ["tool", "skill"] },
          arguments: {
            type: "object",
            description: "Values; {{step_id.member}} stands for what an earlier step gave.",
          },
          timeout_ms: { type: "integer" },
          expected_output: { type: "string" },
          output_schema: { type: "object" },
          parallelizable: { type: "boolean" },
          parallel_group: { type: "string" },
          risk_level: { enum: ["info", "sensitive", "clinical", "critical"] },
        },
        required: ["name", "type"],
        additionalProperties: false,
      },
    },
    reasoning: { type: "string" },
  },
  required: ["steps"],
  additionalProperties: false,
};

/** Lets a model make a plan of several calls at once. Each of them is ruled on like a call of its own. */
export function createPlanTool(options: Omit<RunPlanOptions, "plan" | "planner" | "root" | "signal">): Tool {
  return {
    name: "execute_plan",
    summary:
      "Runs a plan of several calls of tools and skills, one after the other or side by side, and gives what each gave.",
    input: INPUT,
    ...{ risk: "low", timeout: "long", idempotent: false },
    requests: () => [],
    async run(input, { root, signal }) {
      const plan = { assistant_id: "planner", ...input };
      const { stop, status, results, error } = await runPlan({ ...options, plan, root, signal });
      const steps = results.map((one) => ({
        step: one.step,
        status: one.status,
        output: one.output,
        error: one.error?.message ?? null,
      }));
      if (status === "success") return { ok: true, output: { stop, steps } };
      return { ok: false, error: `${stop}: ${error?.message ?? "it did not get to its end"}` };
    },
  };
}
