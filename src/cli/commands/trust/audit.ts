import { READINESS_LEVELS } from "../../../runtime/audit/audit-report.ts";
import { EXIT } from "../../exit-codes.ts";
import { reportProblems } from "../../report-problems.ts";
import type { CommandSpec } from "../../spec.ts";
import { renderAudit } from "../../views/loops/audit.ts";

export const auditCommand: CommandSpec = {
  name: "audit",
  summary: "Say how ready the project is for loops, point by point, and where its files disagree",
  details: [
    "The score is that of loop-engineering, from LOOP.md, state files, the registry, limits, the run log, skills and drills. A file that is merely there counts for nothing.",
    "L1 needs 38 points and a state file, L2 58 and a skill for triage, L3 78 and proofs: a verifier, costs that can be seen, a run and a good drill within 30 days.",
  ],
  arguments: [],
  options: [
    {
      kind: "text",
      flags: "--level <level>",
      summary: "exit with 1 when the project is not ready for it",
      choices: READINESS_LEVELS,
    },
  ],
  examples: [
    { line: "pawl audit", does: "the score with every point explained" },
    { line: "pawl audit --level L2", does: "for CI: fails below L2" },
    { line: "pawl audit --json | jq .readiness.score", does: "for a script" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { out, given } = context;
    const runtime = await context.open({ readOnly: true });
    const { problems, sources, ...report } = await runtime.audit();
    if (problems.length > 0) return reportProblems(out, { problems, sources, root: context.root, cwd: context.cwd });
    if (out.format === "json") out.document({ root: context.root, ...report });
    else for (const line of renderAudit(report, out.paint)) out.line(line);
    const wanted = given.text("level");
    return wanted === undefined || report.readiness.level >= wanted ? EXIT.succeeded : EXIT.failed;
  },
};
