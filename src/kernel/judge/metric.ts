/** Judges a number: measured several times here and on the tree that the run began with. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Judge } from "../../blueprint/blueprint.ts";
import { judgeMetric } from "../../gates/judge-metric.ts";
import { readMetric } from "../../gates/metric.ts";
import type { ProcessReport } from "../../ports/executor.ts";
import type { Finished } from "../flight.ts";
import { type Bench, readEvidence } from "./bench.ts";

type MetricJudge = Extract<Judge, { by: "metric" }>;
type Values = readonly (number | null)[];

export async function judgeMeasured(bench: Bench, how: MetricJudge): Promise<Finished> {
  // A value that must be reached is the same whatever was there before.
  const before = how.must === "reach" ? [] : (measuredBefore(bench) ?? (await measure(bench, how, bench.base)).values);
  const { values, last } = await measure(bench, how, bench.judged);
  const { direction, must: mode, target, tolerance } = how;
  const rule = {
    ...{ direction, mode },
    ...(target === null ? {} : { target }),
    ...(tolerance === null ? {} : { tolerance }),
  };
  const verdict = judgeMetric(rule, before, values);
  const passed = verdict.outcome === "pass";
  const { evidence: _, artifacts, output: __, ...facts } = last;
  return {
    ...facts,
    outcome: verdict.outcome,
    cause: passed || last.cause !== "ok" ? last.cause : "exit",
    ...(passed ? {} : { error: verdict.reason }),
    output: { ...(verdict as unknown as JsonObject), before, values },
    ...(Object.keys(artifacts).length === 0 ? {} : { artifacts }),
  };
}

/** A run of the command that does not end well has no value. The first one ends the measuring. */
async function measure(
  bench: Bench,
  how: MetricJudge,
  tree: string,
): Promise<{ readonly values: Values; readonly last: ProcessReport }> {
  const values: (number | null)[] = [];
  for (;;) {
    const last = await bench.observe(tree, null);
    const shown = last.cause === "ok" ? await readEvidence(bench, last) : { problem: "it did not end well" };
    const value = "text" in shown ? readMetric(how.source, shown.text) : null;
    values.push(value);
    if (value === null || values.length >= how.repeats) return { values, last };
  }
}

/** What an earlier visit of this gate measured on the same tree. */
function measuredBefore({ flight }: Bench): Values | null {
  const output = flight.before?.output as { readonly before?: JsonValue } | undefined;
  return Array.isArray(output?.before) ? (output.before as Values) : null;
}
