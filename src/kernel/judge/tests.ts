/** Judges a test command test by test: what passed when the run began must pass still, and be there. */
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Judge } from "../../blueprint/blueprint.ts";
import { demandOf } from "../../gates/demand.ts";
import { nextReruns, settleFlaky } from "../../gates/flaky.ts";
import { compareTests, type TestVerdict } from "../../gates/ratchet.ts";
import { readTestReport } from "../../gates/reports/read-report.ts";
import { readTestRun, type TestRun, testRun, testRunJson } from "../../gates/test-results.ts";
import { verdictJson } from "../../gates/verdict-json.ts";
import type { ProcessReport } from "../../ports/executor.ts";
import { BEHIND } from "../../ports/sandbox.ts";
import type { ArtifactRef } from "../../run/events.ts";
import type { Finished } from "../flight.ts";
import { type Bench, readEvidence, wasCutShort } from "./bench.ts";

type TestsJudge = Extract<Judge, { by: "tests" }>;

interface Observed {
  readonly report: ProcessReport;
  readonly tests: TestRun;
}

export async function judgeTested(bench: Bench, how: TestsJudge): Promise<Finished> {
  const baseline = (await storedBaseline(bench)) ?? (await makeBaseline(bench, how));
  const first = await observe(bench, how, bench.judged);
  if (wasCutShort(first.report)) return finishedWithout(first.report);
  const labels = labelsOf(bench);
  const now = bench.ports.clock.now();
  const verdict = compareTests(baseline.tests, first.tests, labels, now);
  const runs = [first.tests];
  while (nextReruns(verdict, runs, how.reruns).length > 0) {
    const again = await observe(bench, how, bench.judged);
    if (wasCutShort(again.report)) return finishedWithout(again.report);
    runs.push(again.tests);
  }
  const seen = settleFlaky(verdict.newFailures, runs, now + how.flakyMs);
  const settled = new Map([...labels, ...seen]);
  const compared = compareTests(baseline.tests, first.tests, settled, now);
  const fixed = how.must === "improve" ? await surelyFixed(bench, how, compared) : compared.fixed;
  return finished(bench, first, demandOf({ ...compared, fixed }, how.must), settled, baseline.ref);
}

/** What fails at random on the tree that the run began with was not fixed when it passes now. */
async function surelyFixed(bench: Bench, how: TestsJudge, { outcome, fixed }: TestVerdict): Promise<readonly string[]> {
  let sure = outcome === "pass" ? fixed : [];
  for (let run = 0; run < how.reruns && sure.length > 0; run += 1) {
    const { tests } = await observe(bench, how, bench.base);
    sure = sure.filter((id) => tests.results.get(id) !== "pass");
  }
  return sure;
}

async function observe(bench: Bench, how: TestsJudge, tree: string): Promise<Observed> {
  const report = await bench.observe(tree, how.report);
  const shown = await readEvidence(bench, report);
  const exit = wasCutShort(report) ? null : (report.exit ?? null);
  if ("problem" in shown) return { report, tests: testRun(null, exit, [shown.problem]) };
  return { report, tests: testRun(readTestReport(how.format, shown.text, BEHIND.workspace), exit) };
}

interface Baseline {
  readonly tests: TestRun;
  readonly ref: ArtifactRef;
}

async function makeBaseline(bench: Bench, how: TestsJudge): Promise<Baseline> {
  const { tests } = await observe(bench, how, bench.base);
  return { tests, ref: await store(bench, testRunJson(tests)) };
}

/** What an earlier visit of this gate found on the same tree. */
async function storedBaseline(bench: Bench): Promise<Baseline | null> {
  const ref = bench.flight.before?.artifacts?.["baseline"];
  if (ref === undefined) return null;
  const bytes = await bench.ports.artifacts.get(ref.sha256);
  const tests = readTestRun(JSON.parse(new TextDecoder().decode(bytes)) as JsonValue);
  return tests === null ? null : { tests, ref };
}

/** Tests that an earlier visit has seen to pass and to fail, and until when that counts. */
function labelsOf({ flight }: Bench): ReadonlyMap<string, number> {
  const output = flight.before?.output as { readonly labels?: Readonly<Record<string, number>> } | undefined;
  return new Map(Object.entries(output?.labels ?? {}));
}

async function store({ ports }: Bench, value: JsonObject): Promise<ArtifactRef> {
  const { sha256, bytes } = await ports.artifacts.put(new TextEncoder().encode(canonical(value)));
  return { sha256, bytes };
}

async function finished(
  bench: Bench,
  { report, tests }: Observed,
  verdict: TestVerdict,
  labels: ReadonlyMap<string, number>,
  baseline: ArtifactRef,
): Promise<Finished> {
  const { log, exit, used, refused, artifacts, unkept } = report;
  const results = await store(bench, testRunJson(tests));
  const passed = verdict.outcome === "pass";
  return {
    outcome: verdict.outcome,
    cause: passed ? "ok" : "exit",
    exit,
    ...(passed ? {} : { error: verdict.reason }),
    output: { ...verdictJson(verdict), labels: Object.fromEntries(labels) },
    log,
    artifacts: { ...artifacts, baseline, results },
    ...{ used, refused, unkept },
  };
}

/** It did not come to an end of its own: there is nothing to compare. */
function finishedWithout({ evidence: _, artifacts, output: __, ...facts }: ProcessReport): Finished {
  return { ...facts, outcome: "fail", ...(Object.keys(artifacts).length === 0 ? {} : { artifacts }) };
}
