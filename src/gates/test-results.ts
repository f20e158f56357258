/** Results of tests by id. A run with problems can never pass: what was not read whole is not known. */

/** Forms of reports that are read by test id. */
export const TEST_FORMATS = ["junit", "tap", "node", "vitest", "jest", "pytest", "go"] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];

export type TestOutcome = "pass" | "fail" | "skip";

export interface TestResult {
  readonly id: string;
  readonly outcome: TestOutcome;
  /** The first line of why it failed or was skipped. */
  readonly detail?: string;
}

/** What a report said, before the exit code of the command is known. Ids are unique. */
export interface TestReport {
  readonly kind: TestFormat;
  readonly results: readonly TestResult[];
  readonly problems: readonly string[];
}

export interface TestRun {
  readonly results: ReadonlyMap<string, TestOutcome>;
  /** Null when the command did not end by itself: a signal, a timeout, or it never began. */
  readonly exit: number | null;
  /** `exit`: nothing but the exit code is known. */
  readonly kind: TestFormat | "exit";
  readonly problems: readonly string[];
}

/** Joins a report (null: none could be read) with how the command ended. */
export function testRun(report: TestReport | null, exit: number | null): TestRun {
  if (report === null) return { results: new Map(), exit, kind: "exit", problems: [] };
  const results = new Map(report.results.map(({ id, outcome }) => [id, outcome] as const));
  return { results, exit, kind: report.kind, problems: report.problems };
}
