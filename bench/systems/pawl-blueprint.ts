/** The blueprints that the bench runs. Lines are short because 10,000 stages must fit into a blueprint's 256 KB. */
import type { RunRequest } from "../system.ts";

const CYCLE = 10;
/** An attempt that was interrupted counts as a stage too. */
const SPARE_STAGES = 10;

export function blueprintText(name: string, request: RunRequest): string {
  const stages = request.shape === "line" ? lineStages(request) : cycleStages(request);
  return [
    "version: 1",
    `name: ${name}`,
    "policy: { allow: [{ action: b.* }] }",
    `limits: { stages: ${request.stages + SPARE_STAGES}, rounds: ${Math.ceil(request.stages / CYCLE)} }`,
    "stages:",
    ...stages,
    "",
  ].join("\n");
}

function lineStages({ stages, end }: RunRequest): readonly string[] {
  return Array.from({ length: stages }, (_, index) => {
    const action = end === "failed" && index === stages - 1 ? "b.fail" : "b.e";
    return `- {id: s${index},action: ${action}}`;
  });
}

/** Ten stages, the last of which leads to the first again until it has been visited often enough. */
function cycleStages({ stages }: RunRequest): readonly string[] {
  if (stages % CYCLE !== 0) throw new TypeError(`a cycle has a multiple of ${CYCLE} stages, not ${stages}`);
  const line = Array.from({ length: CYCLE - 1 }, (_, index) => `- { id: s${index}, action: b.e }`);
  return [
    ...line,
    `- { id: turn, action: b.turn, with: { rounds: ${stages / CYCLE} }, on_success: s0, on_failure: done }`,
  ];
}
