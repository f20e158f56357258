/** `pawl doctor WORKSPACE`: whether an openloop workspace can run, and whether what people read of it is still true. */
import { access, readFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import type { OpenloopConfig } from "../../blueprint/dialects/openloop/config.ts";
import { readOpenloop } from "../../runtime/doors/openloop/workspace.ts";
import type { Compiled, DoctorCheck, Runtime } from "../../runtime/runtime.ts";
import type { Context } from "../spec.ts";
import { describedFiles, FOLDERS } from "./described-files.ts";

/** Asks for a repository with a commit. */
const FROM_HEAD = { kind: "clone", from: "head", share: [] } as const;
const FILES = ["openloop.json", "mission.md", "loop_contract.md", "eval_criteria.md", "progress.md"];

export async function workspaceChecks(
  { cwd, root }: Context,
  runtime: Runtime,
  workspace: string,
): Promise<readonly DoctorCheck[]> {
  const folder = resolve(cwd, workspace);
  const shown = relative(root, join(folder, "openloop.json"));
  const found = await readOpenloop(folder, root, shown);
  if (found === null)
    return [fail("openloop.json", `there is none in ${workspace}`, "Write one with pawl init WORKSPACE.")];
  const { plan } = await runtime.compile(folder, {});
  const checks: DoctorCheck[] = [...(await missingFiles(folder)), ...planChecks(plan)];
  if (!found.config.ok) return checks;
  checks.push(ok("project_root", found.projectRoot ?? ""));
  const problem = plan.ok
    ? await runtime.leftOut({ ...plan.value, workspace: FROM_HEAD }, {}).then(() => null, messageOf)
    : null;
  if (problem !== null)
    checks.push(fail("project", problem, "A loop works in a clone of a git repository with a commit."));
  return [...checks, ...(await driftChecks(folder, found.config.value))];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function planChecks(plan: Compiled["plan"]): readonly DoctorCheck[] {
  if (plan.ok) return [ok("openloop.json", `${plan.value.bound.stages} commands at most`)];
  return plan.problems.map(({ where, what, hint }) =>
    fail("openloop.json", where === undefined ? what : `${where.file}:${where.line}:${where.column} ${what}`, hint),
  );
}

/** What people read was made from the config once. */
async function driftChecks(folder: string, config: OpenloopConfig): Promise<readonly DoctorCheck[]> {
  const { mission, commands, baseline, metricName } = config;
  const measured = baseline === null ? null : `${metricName} ${baseline.direction} ${baseline.value}`;
  const checks: DoctorCheck[] = [];
  for (const [name, text] of Object.entries(describedFiles({ mission, commands, baseline: measured }))) {
    const found = await readFile(join(folder, name), "utf8").catch(() => null);
    if (found === null || found === text) continue;
    checks.push({
      name,
      status: "warn",
      detail: "it tells something else than openloop.json, which is what counts",
      hint: "Edit it, or write the workspace again with pawl init --force.",
    });
  }
  return checks;
}

async function missingFiles(folder: string): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  for (const name of [...FILES, ...FOLDERS])
    if (
      !(await access(join(folder, name)).then(
        () => true,
        () => false,
      ))
    )
      checks.push({ name, status: "warn", detail: "it is missing", hint: null });
  return checks;
}

function ok(name: string, detail: string): DoctorCheck {
  return { name, status: "ok", detail, hint: null };
}

function fail(name: string, detail: string, hint: string): DoctorCheck {
  return { name, status: "fail", detail, hint };
}
