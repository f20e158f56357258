/** JUnit XML. There is no standard: what all writers share is read, and what a writer leaves open counts against the test. */
import type { TestOutcome } from "../test-results.ts";
import type { Collector } from "./collector.ts";
import { readXml, type XmlElement } from "./xml.ts";

const BEGIN = /^[ \t\uFEFF]*(?:<\?xml\b|<testsuites?\b)/m;
const FAILURES: readonly string[] = ["failure", "error", "flakyFailure", "flakyError"];
const NOT_RUN: readonly string[] = ["notrun", "skipped", "disabled", "ignored", "suppressed"];

export function isJunitReport(text: string): boolean {
  return BEGIN.test(text) && /<testsuites?\b/.test(text);
}

export function readJunit(text: string, collector: Collector): void {
  const begin = BEGIN.exec(text);
  const xml = begin === null ? undefined : readXml(text, begin.index + begin[0].lastIndexOf("<"));
  if (xml === undefined) collector.problem("there is no JUnit report");
  else if (!xml.ok) collector.problem(`the JUnit report cannot be read: ${xml.problem}`);
  else {
    if (/<testsuites?\b/.test(text.slice(xml.end))) collector.problem("there is more than one JUnit report");
    readRoot(xml.root, collector);
  }
}

function readRoot(root: XmlElement, collector: Collector): void {
  if (root.name === "testsuites") readChildren(root, [], collector);
  else if (root.name === "testsuite") readSuite(root, [], collector);
  else collector.problem(`a JUnit report does not begin with ${root.name}`);
}

function readSuite(suite: XmlElement, above: readonly string[], collector: Collector): void {
  const path = [...above, suite.attributes.get("name") ?? ""];
  const failure = suite.children.find(({ name }) => FAILURES.includes(name));
  if (failure !== undefined) collector.addWhole(path, failure.attributes.get("message"));
  readChildren(suite, path, collector);
}

function readChildren(element: XmlElement, path: readonly string[], collector: Collector): void {
  for (const child of element.children) {
    if (child.name === "testsuite") readSuite(child, path, collector);
    if (child.name === "testcase") readCase(child, path, collector);
  }
}

function readCase(test: XmlElement, above: readonly string[], collector: Collector): void {
  const className = test.attributes.get("classname") ?? "";
  const name = test.attributes.get("name") ?? "";
  const failure = test.children.find((child) => FAILURES.includes(child.name));
  const detail = failure?.attributes.get("message");
  // pytest lists a file that cannot be loaded as a test without a class.
  if (className === "" && detail === "collection failure") collector.addWhole([...above, name], detail);
  else {
    const path = [...above, className, name].filter((part, index, all) => part !== all[index - 1]);
    collector.add(path, outcomeOf(test, failure !== undefined), detail);
  }
}

function outcomeOf(test: XmlElement, hasFailed: boolean): TestOutcome {
  const skipped = test.children.find(({ name }) => name === "skipped");
  if (skipped?.attributes.get("type") === "todo") return "skip";
  if (hasFailed) return "fail";
  const states = [test.attributes.get("status"), test.attributes.get("result")];
  const isNotRun = states.some((state) => state !== undefined && NOT_RUN.includes(state.toLowerCase()));
  return skipped !== undefined || isNotRun ? "skip" : "pass";
}
