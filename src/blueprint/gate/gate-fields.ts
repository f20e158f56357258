/** The keys of a gate: one form says how it judges. */
import type { ChangeAnswer } from "../blueprint.ts";
import { program } from "../shapes/expression-shape.ts";
import {
  duration,
  either,
  type Found,
  integer,
  list,
  mapped,
  object,
  oneOf,
  type Shape,
  text,
} from "../shapes/shape.ts";
import { anyNumber, gateFilePath, linearPattern, pathPattern, relativePath } from "../shapes/value-shapes.ts";

const JSON_PATH = /^[^.[\]]+(?:\[\d{1,9}\])*(?:\.[^.[\]]+(?:\[\d{1,9}\])*)*$/;

const command = { shape: program(), about: "The command that is judged.", isRequired: true } as const;
const globs = list(pathPattern(), { min: 0, max: 1000 });
const answer = oneOf<ChangeAnswer>("allow", "escalate", "fail");

const TESTS_FIELDS = {
  command,
  format: {
    shape: oneOf("auto", "junit", "tap", "node", "vitest", "jest", "pytest", "go"),
    about: "How the results are written (auto).",
  },
  report: { shape: relativePath(), about: "A file that the runner writes; without it, its standard output is read." },
  must: {
    shape: oneOf("no_regress", "improve", "all_pass"),
    about: "What passes: nothing got worse, a failing test was fixed, or every test passes (no_regress).",
  },
  reruns: { shape: integer(0, 10), about: "How often new failures are tried again (2)." },
  flaky_for: { shape: duration(1), about: "How long a test seen to pass and fail may fail without blocking (7d)." },
} as const;

const METRIC_FIELDS = {
  command,
  regex: {
    shape: linearPattern(),
    about: "Finds the number: its first group. Matched in linear time.",
  },
  json: {
    shape: text({ expected: "a path such as results[0].score", max: 200, pattern: JSON_PATH }),
    about: "Where the number stands in JSON output.",
  },
  direction: { shape: oneOf("higher", "lower"), about: "Which way is better (higher)." },
  must: { shape: oneOf("improve", "no_regress", "reach"), about: "What passes (no_regress)." },
  target: { shape: anyNumber(), about: "With reach: the value." },
  tolerance: { shape: anyNumber(0), about: "A difference up to this is none (the measured noise)." },
  repeats: { shape: integer(1, 50), about: "How often it is measured (5)." },
} as const;

const QUALITY_FIELDS = {
  command,
  tool: { shape: oneOf("lint", "format", "security", "custom"), about: "What it looks at (custom)." },
  mode: { shape: oneOf("block", "warn"), about: "Whether what it finds fails (block)." },
} as const;

const CHANGE_FIELDS = {
  deny: { shape: globs, about: "Paths that must not change." },
  allow: { shape: globs, about: "The only paths that may change." },
  max_files: { shape: integer(0, 100_000), about: "Most files." },
  max_lines: { shape: integer(0, 10_000_000), about: "Most lines, added and deleted ones together." },
  denied: { shape: oneOf("escalate", "fail"), about: "What a path of deny leads to (fail)." },
  beyond: {
    shape: oneOf("escalate", "fail"),
    about: "What too many files or lines, and a path outside allow, lead to (escalate).",
  },
  dotfiles: { shape: answer, about: "Names that begin with a dot (escalate)." },
  modes: { shape: answer, about: "The executable bit (escalate)." },
  links: { shape: answer, about: "Symbolic links (escalate)." },
  submodules: { shape: answer, about: "Submodules (escalate)." },
  lockfiles: { shape: answer, about: "Lockfiles (escalate)." },
  ci: { shape: answer, about: "What CI runs (escalate)." },
  binary: { shape: answer, about: "Files that are no text (escalate)." },
  from: { shape: gateFilePath(), about: "A gate.yaml whose rules are added." },
} as const;

/** A command alone stands for the map with nothing else in it. */
function testsShape(): Shape<Found<typeof TESTS_FIELDS>> {
  const alone = mapped(
    program(),
    (value, node): Found<typeof TESTS_FIELDS> => ({ command: { value, node, key: node } }),
  );
  return either({ scalar: alone, list: alone, map: object(TESTS_FIELDS, "tests") });
}

const APPROVAL_FIELDS = {
  question: {
    shape: text({ expected: "text of at most 2000 characters", max: 2000, refusesReferences: true }),
    about: "What the person is asked.",
  },
  expires: { shape: duration(1), about: "How long the question stays open (24h); after that the gate has failed." },
  remind: { shape: duration(1), about: "When the person is reminded, counted from the question (never)." },
} as const;

/** What a gate is by who judges: a process, the host by what has changed, a person. */
export const GATE_KINDS = ["gate", "inspection", "approval"] as const;
export type GateKind = (typeof GATE_KINDS)[number];

/** The forms of a gate, one of which it must have, and what each makes of it. */
export const GATE_FORMS: Readonly<Record<string, GateKind>> = {
  command: "gate",
  tests: "gate",
  metric: "gate",
  quality: "gate",
  change: "inspection",
  merge: "inspection",
  approval: "approval",
};

export type TestsFound = Found<typeof TESTS_FIELDS>;
export type MetricFound = Found<typeof METRIC_FIELDS>;
export type QualityFound = Found<typeof QUALITY_FIELDS>;
export type ChangeFound = Found<typeof CHANGE_FIELDS>;

export const GATE_FIELDS = {
  command: { shape: program(), about: "A check by a command: exit 0 passes." },
  escalate: {
    shape: list(integer(1, 255), { min: 1, max: 255 }),
    about: "With command: exit codes that ask a person instead of failing.",
  },
  tests: { shape: testsShape(), about: "A test command, judged test by test." },
  metric: { shape: object(METRIC_FIELDS, "metric"), about: "A command that prints a number." },
  quality: { shape: object(QUALITY_FIELDS, "quality"), about: "A tool for lint, format or security." },
  change: { shape: object(CHANGE_FIELDS, "change"), about: "What may have changed." },
  merge: { shape: object(CHANGE_FIELDS, "merge"), about: "What may be merged without a person." },
  approval: { shape: object(APPROVAL_FIELDS, "approval"), about: "A person decides: the run waits for the answer." },
} as const;

export type GateFound = Found<typeof GATE_FIELDS>;
