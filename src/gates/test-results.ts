/** Results of tests by id. A run with problems can never pass: what was not read whole is not known. */
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Forms of reports that are read by test id. */
export const TEST_FORMATS = ["junit", "tap", "node", "vitest", "jest", "pytest", "go"] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];

export type TestOutcome = "pass" | "fail" | "skip";

export interface TestResult {
  readonly id: string;
  readonly outcome: TestOutcome;
  /** The first line of why it failed. */
  readonly detail?: string;
}

/** What a report said, before the exit code of the command is known. Ids are unique. */
export interface TestReport {
  readonly kind: TestFormat;
  readonly results: readonly TestResult[];
  /** Ids that stand in the report with a pass and with a fail; the fail has the lower number. */
  readonly contradictions: readonly string[];
  readonly problems: readonly string[];
}

export interface TestRun {
  readonly results: ReadonlyMap<string, TestOutcome>;
  /** Null when the command did not end by itself: a signal, a timeout, or it never began. */
  readonly exit: number | null;
  /** `exit`: nothing but the exit code is known. */
  readonly kind: TestFormat | "exit";
  readonly contradictions: readonly string[];
  readonly problems: readonly string[];
}

/** Joins a report (null: none could be read) with how the command ended and with what else speaks against it. */
export function testRun(report: TestReport | null, exit: number | null, doubts: readonly string[] = []): TestRun {
  if (report === null) return { results: new Map(), exit, kind: "exit", contradictions: [], problems: doubts };
  const { kind, contradictions } = report;
  const problems = [...report.problems, ...doubts];
  return {
    results: new Map(report.results.map(({ id, outcome }) => [id, outcome])),
    exit,
    kind,
    contradictions,
    problems,
  };
}

const WHOLE = " > (whole)";

/** The id under which a file or suite that failed by itself is listed. It is gone when the failure is: its tests are there instead. */
export function wholeOf(id: string): string {
  return id + WHOLE;
}

export function isWhole(id: string): boolean {
  return id.endsWith(WHOLE);
}

/** For storage: read back by `readTestRun`. */
export function testRunJson(run: TestRun): JsonObject {
  const { exit, kind, contradictions, problems } = run;
  const ids: Record<TestOutcome, string[]> = { pass: [], fail: [], skip: [] };
  for (const [id, outcome] of run.results) ids[outcome].push(id);
  return { kind, exit, ...ids, contradictions, problems };
}

/** Null for anything but what `testRunJson` wrote. */
export function readTestRun(value: JsonValue): TestRun | null {
  if (!isJsonObject(value)) return null;
  const { kind, exit, contradictions, problems } = value;
  const isKind = kind === "exit" || TEST_FORMATS.some((format) => format === kind);
  if (!isKind || !(exit === null || Number.isInteger(exit)) || !isTexts(contradictions) || !isTexts(problems))
    return null;
  const results = new Map<string, TestOutcome>();
  for (const outcome of ["pass", "fail", "skip"] as const) {
    const ids = value[outcome];
    if (!isTexts(ids)) return null;
    for (const id of ids) results.set(id, outcome);
  }
  return { results, exit: exit as number | null, kind: kind as TestRun["kind"], contradictions, problems };
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
