/** What doctor says of the files of loops. A project without any is not asked about them. */
import type { DoctorCheck } from "../runtime.ts";
import { findings } from "./audit.ts";
import { readLoopProject } from "./loop-project.ts";

const NAME = "loops";
const MOST_FINDINGS = 50;

export async function loopChecks(root: string, now: number): Promise<readonly DoctorCheck[]> {
  const loops = await readLoopProject(root);
  if (!loops.isAny) return [];
  const { drift, rot, problems } = await findings(root, now, loops);
  const checks: readonly DoctorCheck[] = [
    ...problems.map(({ what, hint, where }) => check("fail", `${where?.file}:${where?.line}: ${what}`, hint)),
    ...drift.map(({ where, what, hint }) => check("warn", `${where}: ${what}`, hint)),
    ...rot.map(({ where, id, why }) =>
      check("warn", `${where}: "${id}" is not acted on: ${why}`, "Decide about it, give it a new date, or remove it."),
    ),
  ];
  if (checks.length === 0) return [{ name: NAME, status: "ok", detail: "the files of loops agree", hint: null }];
  const more = checks.length - MOST_FINDINGS;
  return more <= 0
    ? checks
    : [...checks.slice(0, MOST_FINDINGS), check("warn", `and ${more} more`, "`pawl audit` shows all of them.")];
}

function check(status: DoctorCheck["status"], detail: string, hint: string): DoctorCheck {
  return { name: NAME, status, detail, hint };
}
