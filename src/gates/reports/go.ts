/** The lines of `go test -json`. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { TestOutcome } from "../test-results.ts";
import type { Collector } from "./collector.ts";
import { parseJson } from "./jest.ts";

interface Package {
  /** Ends of each test, in order: more than one with `-count`. Empty: it was begun only. */
  readonly tests: Map<string, TestOutcome[]>;
  end: TestOutcome | undefined;
}

const ENDS: Readonly<Record<string, TestOutcome>> = { pass: "pass", fail: "fail", skip: "skip" };
const FAILED: readonly TestOutcome[] = ["fail"];

export function isGoReport(text: string): boolean {
  const line = text.split("\n").find((each) => each.startsWith("{"));
  const event = line === undefined ? undefined : parseJson(line);
  return isJsonObject(event) && typeof event["Action"] === "string";
}

export function readGo(text: string, collector: Collector): void {
  const packages = new Map<string, Package>();
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue;
    const event = parseJson(line);
    if (isJsonObject(event) && typeof event["Action"] === "string") readEvent(event, event["Action"], packages);
    else collector.problem("the report of go test has a line that cannot be read");
  }
  if (packages.size === 0) collector.problem("there is no report of go test");
  for (const [name, found] of packages) collectPackage(name, found, collector);
}

/** Events of the build name no package; what they mean is said again by the package. */
function readEvent(event: JsonObject, action: string, packages: Map<string, Package>): void {
  const { Package: name, Test: test } = event;
  if (typeof name !== "string") return;
  const found: Package = packages.get(name) ?? { tests: new Map(), end: undefined };
  packages.set(name, found);
  const end = ENDS[action];
  if (typeof test === "string") {
    const ends = found.tests.get(test) ?? [];
    found.tests.set(test, end === undefined ? ends : [...ends, end]);
  } else if (end !== undefined) found.end = end;
}

/** A test that began and has no end was running when its process died. */
function collectPackage(name: string, found: Package, collector: Collector): void {
  if (found.end === undefined) collector.problem(`the report of go test is cut off in ${name}`);
  const tests = [...found.tests].map(([test, ends]) => ({ test, ends: ends.length === 0 ? FAILED : ends }));
  const failed = tests.flatMap(({ test, ends }) => (ends.includes("fail") ? [test] : []));
  const parents = new Set(tests.flatMap(({ test }) => parentsOf(test)));
  const blamed = new Set(failed.flatMap(parentsOf));
  const leaves = tests.filter(({ test }) => !parents.has(test));
  for (const { test, ends } of leaves) for (const end of ends) collector.add(pathOf(name, test), end);
  const alone = failed.filter((test) => parents.has(test) && !blamed.has(test));
  for (const test of alone) collector.addWhole(pathOf(name, test));
  if (found.end === "fail" && failed.length === 0) collector.addWhole([name]);
}

function pathOf(name: string, test: string): string[] {
  return [name, ...test.split("/")];
}

function parentsOf(test: string): string[] {
  const names = test.split("/");
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"));
}
