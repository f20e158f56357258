/** What an author asks of tests besides that nothing got worse. */
import type { TestVerdict } from "./ratchet.ts";

export type TestDemand = "no_regress" | "improve" | "all_pass";

/** A verdict that is no pass stays as it is. By the exit code alone a pass means that everything passed. */
export function demandOf(verdict: TestVerdict, demand: TestDemand): TestVerdict {
  if (verdict.outcome !== "pass" || verdict.by === "exit code") return verdict;
  const { fixed, oldFailures } = verdict;
  if (demand === "all_pass" && oldFailures.length > 0)
    return { ...verdict, outcome: "fail", reason: `${oldFailures.length} tests fail still, such as ${oldFailures[0]}` };
  if (demand === "improve" && fixed.length === 0) return { ...verdict, outcome: "fail", reason: "no test was fixed" };
  return verdict;
}
