/** Reads the report of a test run by the form it is in. */
import type { TestFormat, TestReport } from "../test-results.ts";
import { type Collector, createCollector } from "./collector.ts";
import { isGoReport, readGo } from "./go.ts";
import { findJestReports, readJest } from "./jest.ts";
import { isJunitReport, readJunit } from "./junit.ts";
import { isNodeReport, readNode } from "./node.ts";
import { isPytestReport, readPytest } from "./pytest.ts";
import { readTap } from "./tap.ts";
import { collectTree } from "./tree.ts";

const LONGEST_TEXT = 32 * 1024 * 1024;

const COLOUR = /\u001b\[[0-9;]*[A-Za-z]/g;

const READERS: Readonly<Record<TestFormat, (text: string, collector: Collector) => void>> = {
  junit: readJunit,
  tap: (text, collector) => collectTree(readTap(text, collector), [], collector),
  node: (text, collector) => (isJunitReport(text) ? readJunit : readNode)(text, collector),
  vitest: readJest,
  jest: readJest,
  pytest: (text, collector) => (isJunitReport(text) ? readJunit : readPytest)(text, collector),
  go: readGo,
};

/**
 * Null only for `auto` and a text that is no report at all: the command is then judged by its exit code. `root` is the folder of the
 * checkout: ids do not name it.
 */
export function readTestReport(format: TestFormat | "auto", text: string, root = ""): TestReport | null {
  const plain = text.slice(0, LONGEST_TEXT).replaceAll(COLOUR, "").replaceAll("\r\n", "\n");
  const kind = format === "auto" ? detectFormat(plain) : format;
  if (kind === null) return null;
  const collector = createCollector(kind, root);
  if (text.length > LONGEST_TEXT) collector.problem(`the report is longer than ${LONGEST_TEXT} characters`);
  else READERS[kind](plain, collector);
  return collector.report();
}

/** Null when the text is in none of the known forms. */
export function detectFormat(text: string): TestFormat | null {
  if (isJunitReport(text)) return "junit";
  if (/^TAP version 1[34]$/m.test(text)) return isNodeReport(text) ? "node" : "tap";
  if (isNodeReport(text)) return "node";
  const [json] = findJestReports(text);
  if (json !== undefined) return json["wasInterrupted"] === undefined ? "vitest" : "jest";
  if (isGoReport(text)) return "go";
  return isPytestReport(text) ? "pytest" : null;
}
