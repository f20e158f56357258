/** An ExecutionPlan as the work of an agent: the program of the harness behind the wall, without a model. */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { formatRunId } from "../../../base/ids.ts";
import { isJsonObject } from "../../../base/json.ts";
import type { AgentBackend, AgentReport, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { PlanTask } from "../../../ports/agents/model-program.ts";
import { BEHIND } from "../../../ports/sandbox.ts";
import { converse } from "../cli/converse.ts";
import { lost } from "../cli/failure.ts";
import { type ProgramPlace, programRequest } from "./backend.ts";
import { NO_HOST_TOOLS } from "./host-hands.ts";
import { openRecords } from "./records.ts";
import { PLAN } from "./signature.ts";
import { createModelSpeaker } from "./speaker.ts";

export function createPlanBackend(options: ProgramPlace): AgentBackend {
  const { version, program } = options;
  return {
    ...PLAN,
    probe: async () => ({ version, program, tested: version, inRange: true, hint: null }),
    async run(task, host, signal): Promise<AgentReport> {
      const session = formatRunId(randomBytes(12));
      const plan = task.settings["plan"];
      if (signal.aborted) return { outcome: { kind: "cancelled" }, text: "", session, reported: null };
      if (!isJsonObject(plan)) return { outcome: lost("its plan is no map"), text: "", session, reported: null };
      const records = await openRecords(task.home, session);
      const start = { type: "plan", task: { ...placeOf(options, task), plan, session } } as const;
      const speaker = createModelSpeaker(start, { host, records, cwd: task.process.cwd, tools: NO_HOST_TOOLS });
      try {
        const { outcome, process } = await converse(options.executor, programRequest(options, task), speaker, signal);
        const { text = "", output } = speaker.report() ?? {};
        return { outcome, text, session, reported: null, process, ...(output === undefined ? {} : { output }) };
      } finally {
        await records.close();
      }
    },
  };
}

function placeOf({ root }: ProgramPlace, { toolset, process }: AgentTask): Pick<PlanTask, "toolset" | "root"> {
  const { wall, folder, project, cwd } = process;
  const top = wall.sandbox === "danger_full_access" ? (folder ?? root) : BEHIND.workspace;
  return { toolset: toolset?.name ?? null, root: posix.join(top, project, cwd) };
}
