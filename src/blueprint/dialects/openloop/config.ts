/** `openloop.json`: the commands of a loop, what must be reached, and how long it may go on. */
import { type Diagnostic, diagnose } from "../../../base/diagnostic.ts";
import { readPattern } from "../../../base/match/pattern.ts";
import { failed, type Result } from "../../../base/result.ts";
import { parseText } from "../../parse-text.ts";
import { boolean, type Given, integer, list, object, oneOf, type Reading, scalar, text } from "../../shapes/shape.ts";
import { numberBetween } from "../../shapes/value-shapes.ts";
import { OPENLOOP_ERRORS } from "./errors.ts";
import { fillTemplate } from "./template.ts";

export const STEPS = ["play", "scan", "fix", "verify", "improve"] as const;
export type Step = (typeof STEPS)[number];
export const DIRECTIONS = ["greater_equal", "greater", "less_equal", "less", "equal"] as const;

export interface Baseline {
  /** Text for a shell, its variables filled in. */
  readonly command: string;
  readonly regex: string;
  readonly value: number;
  readonly direction: (typeof DIRECTIONS)[number];
}

export interface OpenloopConfig {
  readonly mission: string;
  readonly totalRounds: number;
  /** As it is written. */
  readonly projectRoot: string;
  /** Text for a shell, its variables filled in; a step that is not configured is not there. */
  readonly commands: Readonly<Partial<Record<Step, string>>> & { readonly verify: string };
  readonly baseline: Baseline | null;
  readonly metricName: string;
  readonly timeoutSeconds: number;
  readonly stallSeconds: number;
  readonly maxConsecutiveFailures: number;
  /** Hosts that `fix` and `improve` may reach; ours, openloop has no such word. */
  readonly network: readonly string[];
}

const MAX = 20_000;
/** Empty: not configured. */
const command = scalar({
  expected: "a text for a shell",
  schema: { type: "string", maxLength: MAX },
  convert: (value) => (typeof value === "string" && value.length <= MAX ? value : undefined),
});
const words = text({ expected: "a text", max: MAX });
const seconds = integer(1, 86_400);
const FILE = object(
  {
    version: { shape: integer(1, 1), about: "The version of the file: 1.", isRequired: true },
    mission: { shape: command, about: "What the loop is for." },
    total_rounds: { shape: integer(1, 1000), about: "Most rounds (3)." },
    project_root: { shape: words, about: "The folder that the commands work in (.)." },
    commands: {
      shape: object(
        {
          play: { shape: command, about: "Uses the project." },
          scan: { shape: command, about: "Looks for bugs." },
          fix: { shape: command, about: "Repairs what has failed." },
          verify: {
            shape: command,
            about: "Checks the project; without it nothing is ever complete.",
            isRequired: true,
          },
          improve: { shape: command, about: "Works on what is below the baseline." },
        },
        "commands",
      ),
      about: "Texts for a shell.",
      isRequired: true,
    },
    baseline: {
      shape: object(
        {
          enabled: { shape: boolean(), about: "Whether it is measured." },
          command: { shape: command, about: "Prints the metric." },
          metric_name: { shape: words, about: "Its name (score)." },
          regex: { shape: words, about: "Finds the number: its first group." },
          value: { shape: numberBetween(-1e15, 1e15), about: "What it is compared with." },
          direction: { shape: oneOf(...DIRECTIONS), about: "How (greater_equal)." },
        },
        "baseline",
      ),
      about: "A number that must be reached.",
    },
    limits: {
      shape: object(
        {
          command_timeout_seconds: { shape: seconds, about: "Longest time of a command (900)." },
          stall_timeout_seconds: { shape: seconds, about: "Longest silence of a command (300)." },
          max_consecutive_failures: { shape: integer(1, 1000), about: "Failed rounds in a row (3)." },
        },
        "limits",
      ),
      about: "Limits.",
    },
    pawl: {
      shape: object(
        { network: { shape: list(words, { min: 1, max: 100 }), about: "Hosts that fix and improve may reach." } },
        "pawl",
      ),
      about: "What only Pawl reads.",
    },
  },
  "openloop.json",
);

type Found = NonNullable<ReturnType<typeof FILE.read>>;

export function parseOpenloop(source: string, file: string): Result<OpenloopConfig> {
  const problems: Diagnostic[] = [];
  const parsed = parseText(source, file, (tree, reading) => {
    const found = FILE.read(tree, reading, "openloop.json");
    return found === undefined ? undefined : configOf(found, reading, problems);
  });
  if (problems.length === 0) return parsed;
  return failed([...(parsed.ok ? [] : parsed.problems), ...problems]);
}

function configOf(found: Found, reading: Reading, problems: Diagnostic[]): OpenloopConfig | undefined {
  const report = (code: keyof typeof OPENLOOP_ERRORS, data: never, at: Given<unknown>): void => {
    problems.push(diagnose(OPENLOOP_ERRORS, code, data, reading.problems.source.span(at.node)));
  };
  const filled = (given: Given<string> | undefined): string | undefined => {
    if (given === undefined || given.value.trim() === "") return undefined;
    const made = fillTemplate(given.value);
    if (made.ok) return made.text;
    report("OPENLOOP_VARIABLE_UNSURE", { name: made.name, after: made.after } as never, given);
    return given.value;
  };
  const written = found.commands?.value ?? {};
  const commands = Object.fromEntries(
    STEPS.flatMap((step) => {
      const value = filled(written[step]);
      return value === undefined ? [] : [[step, value]];
    }),
  );
  const { verify } = commands;
  if (written.verify !== undefined && verify === undefined)
    report("OPENLOOP_VERIFY_EMPTY", {} as never, written.verify);
  const { network } = found.pawl?.value ?? {};
  return {
    mission: found.mission?.value ?? "",
    totalRounds: found.total_rounds?.value ?? 3,
    projectRoot: found.project_root?.value ?? ".",
    commands: { ...commands, verify: verify ?? "false" },
    baseline: baselineOf(found.baseline, filled, report),
    metricName: found.baseline?.value.metric_name?.value ?? "score",
    ...limitsOf(found.limits?.value ?? {}),
    network: network?.value.map(({ value }) => value) ?? [],
  };
}

function limitsOf(
  found: NonNullable<Found["limits"]>["value"],
): Pick<OpenloopConfig, "timeoutSeconds" | "stallSeconds" | "maxConsecutiveFailures"> {
  return {
    timeoutSeconds: found.command_timeout_seconds?.value ?? 900,
    stallSeconds: found.stall_timeout_seconds?.value ?? 300,
    maxConsecutiveFailures: found.max_consecutive_failures?.value ?? 3,
  };
}

/** One that is not enabled is not read further. */
function baselineOf(
  given: Found["baseline"],
  filled: (given: Given<string> | undefined) => string | undefined,
  report: (code: keyof typeof OPENLOOP_ERRORS, data: never, at: Given<unknown>) => void,
): Baseline | null {
  if (given?.value.enabled?.value !== true) return null;
  const { regex, value, direction } = given.value;
  const text = filled(given.value.command);
  if (text === undefined || regex === undefined || value === undefined) {
    report("OPENLOOP_BASELINE_INCOMPLETE", {} as never, given);
    return null;
  }
  const read = readPattern(regex.value, { lines: true });
  const problem = !read.ok ? read.problem : read.pattern.groups === 0 ? "it has no group for the number" : null;
  if (problem !== null) report("OPENLOOP_REGEX_UNFIT", { problem } as never, regex);
  return {
    command: text,
    regex: regex.value,
    value: value.value,
    direction: direction?.value ?? "greater_equal",
  };
}
