/** The JSON of jest (`--json`) and vitest (`--reporter=json`). */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { TestOutcome } from "../test-results.ts";
import type { Collector } from "./collector.ts";

const OUTCOMES: Readonly<Record<string, TestOutcome>> = {
  passed: "pass",
  failed: "fail",
  skipped: "skip",
  pending: "skip",
  todo: "skip",
  disabled: "skip",
  focused: "skip",
};

/** Every report in the text: the whole text, or lines of their own among other output. */
export function findJestReports(text: string): readonly JsonObject[] {
  const whole = parseReport(text);
  if (whole !== undefined) return [whole];
  return text.split("\n").flatMap((line) => {
    const report = parseReport(line);
    return report === undefined ? [] : [report];
  });
}

function parseReport(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  const value = parseJson(text);
  return isJsonObject(value) && Array.isArray(value["testResults"]) ? value : undefined;
}

/** Undefined when the text is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function readJest(text: string, collector: Collector): void {
  const reports = findJestReports(text);
  if (reports.length === 0) collector.problem("there is no JSON report, or it is cut off");
  if (reports.length > 1) collector.problem("there is more than one JSON report");
  for (const report of reports) collectReport(report, collector);
}

function collectReport(report: JsonObject, collector: Collector): void {
  let count = 0;
  for (const file of report["testResults"] as readonly JsonValue[]) count += readFile(file, collector);
  if (report["numTotalTests"] !== count) {
    collector.problem(`the report counts ${String(report["numTotalTests"])} tests and has ${count}`);
  }
  if (report["wasInterrupted"] === true) collector.problem("the tests were interrupted");
}

/** The number of tests in the file. */
function readFile(file: JsonValue, collector: Collector): number {
  const tests = isJsonObject(file) ? file["assertionResults"] : undefined;
  if (!isJsonObject(file) || typeof file["name"] !== "string" || !Array.isArray(tests)) {
    collector.problem("the report has a file without a name or a list of tests");
    return 0;
  }
  const outcomes = (tests as readonly JsonValue[]).map((test) => readTest(test, file["name"] as string, collector));
  const message = typeof file["message"] === "string" ? file["message"] : undefined;
  if (file["status"] === "failed" && !outcomes.includes("fail")) collector.addWhole([file["name"]], message);
  return outcomes.length;
}

function readTest(test: JsonValue, file: string, collector: Collector): TestOutcome | undefined {
  const status = isJsonObject(test) ? test["status"] : undefined;
  const outcome = typeof status === "string" ? OUTCOMES[status] : undefined;
  if (!isJsonObject(test) || outcome === undefined || typeof test["title"] !== "string") {
    collector.problem(`the report of ${file} has a test without a title or a known status`);
    return undefined;
  }
  const above = Array.isArray(test["ancestorTitles"]) ? test["ancestorTitles"].map(String) : [];
  const [message] = Array.isArray(test["failureMessages"]) ? test["failureMessages"] : [];
  collector.add([file, ...above, test["title"]], outcome, typeof message === "string" ? message : undefined);
  return outcome;
}
