/** One execution of a skill: a process behind the wall that reads JSON from its input, writes JSON to its output, and has limits. */
import { diagnose } from "../../base/diagnostic.ts";
import type { RunId } from "../../base/ids.ts";
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Schema } from "../../base/schema/schema.ts";
import { visibleLine } from "../../base/visible.ts";
import { SKILL_ERRORS } from "../../ports/agents/skill-errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Executor, ProcessReport, ProcessRequest } from "../../ports/executor.ts";
import type { ExecutionStatus } from "../plans/stops.ts";
import type { Skill, SkillCallable } from "./skill.ts";

export interface ResourceUsage {
  readonly cpu_time_ms: number;
  readonly memory_mb: number;
  readonly tokens_used: number;
}

export type SkillCode = keyof typeof SKILL_ERRORS;

export interface SkillResult {
  readonly status: ExecutionStatus;
  readonly output: JsonValue | null;
  readonly error: { readonly code: SkillCode; readonly message: string } | null;
  readonly durationMs: number;
  readonly usage: ResourceUsage;
}

export interface SkillProcess {
  readonly executor: Pick<Executor, "execute" | "forget">;
  readonly clock: Clock;
  readonly run: RunId;
  /** What it sees as its working folder, read-only; null: the project. */
  readonly folder: string | null;
}

export interface SkillRun {
  readonly skill: Skill;
  readonly callable: SkillCallable;
  readonly outputSchema: Schema | null;
  /** Where its files lie on this machine. */
  readonly place: string;
  readonly input: JsonValue;
  readonly timeoutMs: number;
  /** Counts the executions. */
  readonly number: number;
}

const SKILL_FOLDER = "/run/pawl/skill";
const MEBIBYTE = 1 << 20;
const PROCESSES = 64;
const FILE_BYTES = 64 << 20;
const OUTPUT_BYTES = 16 << 20;
const LONGEST_MESSAGE = 2000;
export const NO_USE: ResourceUsage = { cpu_time_ms: 0, memory_mb: 0, tokens_used: 0 };

export async function runSkill(around: SkillProcess, run: SkillRun, signal: AbortSignal): Promise<SkillResult> {
  const from = around.clock.now();
  const request = requestFor(around, run);
  const report = await around.executor.execute(request, signal, () => undefined);
  await around.executor.forget(request);
  const { used } = report;
  const usage =
    used === undefined
      ? NO_USE
      : { cpu_time_ms: used.cpuMs, memory_mb: Math.ceil(used.peakBytes / MEBIBYTE), tokens_used: 0 };
  return { ...resultOf(run, report), durationMs: around.clock.now() - from, usage };
}

function requestFor(
  { run, folder }: SkillProcess,
  { skill, callable, place, input, timeoutMs, number }: SkillRun,
): ProcessRequest {
  const stage = `skill-${skill.id}`;
  const { memoryBytes, cpuMs } = callable;
  return {
    ...{ run, stage, attempt: number, key: `${run}:${stage}:${number}`, folder, project: "", cwd: "." },
    argv: callable.argv.map((part) => (part.startsWith("./") ? `${SKILL_FOLDER}${part.slice(1)}` : part)),
    env: { PAWL_SKILL: SKILL_FOLDER },
    mounts: [{ from: place, to: SKILL_FOLDER, access: "read" }],
    wall: {
      sandbox: "read_only",
      network: [],
      resources: { memoryBytes, cpuMs, processes: PROCESSES, fileBytes: FILE_BYTES, outputBytes: OUTPUT_BYTES },
    },
    ...{ timeoutMs, stallMs: null, capture: "json", inputs: {}, strip: [], outputs: [] },
    dialogue: {
      begin: ({ send, end }) => void send(`${canonical(input)}\n`).then(end, end),
      onOutput: () => undefined,
    },
  };
}

export type Outcome = Pick<SkillResult, "status" | "output" | "error">;

function resultOf({ skill, outputSchema, timeoutMs }: SkillRun, report: ProcessReport): Outcome {
  const problem = report.error ?? report.cause;
  const name = skill.id;
  switch (report.cause) {
    case "ok":
      return checked(skill, outputSchema, report.output ?? null);
    case "timeout":
      return failure("timeout", "SKILL_EXECUTION_TIMEOUT", { skill: name, timeoutMs });
    case "killed":
      return { status: "canceled", output: null, error: null };
    case "oom":
    case "resource":
      return failure("failed", "SKILL_RESOURCE_EXHAUSTED", { skill: name, problem });
    case "invalid_output":
      return failure("failed", "SKILL_OUTPUT_INVALID", { skill: name, problem });
    default:
      return failure("failed", "SKILL_RUN_FAILED", { skill: name, problem });
  }
}

function checked(skill: Skill, schema: Schema | null, given: JsonValue): Outcome {
  const problems = schema?.problems(given) ?? [];
  if (problems.length === 0) return { status: "success", output: given, error: null };
  return failure("failed", "SKILL_OUTPUT_INVALID", { skill: skill.id, problem: problems.join("; ") });
}

export function failure<K extends SkillCode>(
  status: ExecutionStatus,
  code: K,
  facts: Parameters<(typeof SKILL_ERRORS)[K]["what"]>[0] & JsonObject,
): Outcome {
  const { what } = diagnose(SKILL_ERRORS, code, facts);
  return { status, output: null, error: { code, message: visibleLine(what, LONGEST_MESSAGE) } };
}
