/** `openexec.yaml`: what a project of OpenExec says about itself, of which the quality gates are run. */
import { parseDuration } from "../../../base/duration.ts";
import type { Result } from "../../../base/result.ts";
import { parseText } from "../../parse-text.ts";
import { list, object, oneOf, type Reading, scalar, text } from "../../shapes/shape.ts";
import { name } from "../../shapes/value-shapes.ts";
import { type ExecProgram, programOf } from "./program-of.ts";

export interface ExecGate {
  readonly name: string;
  readonly program: ExecProgram;
  readonly mode: "blocking" | "warning";
  readonly timeoutMs: number | null;
}

/** Commands that the files of the project tell, by the name of a gate. */
export type KnownCommands = Readonly<Record<string, readonly string[]>>;

const words = text({ expected: "text of at most 2000 characters, on one line", max: 2000, pattern: /^[^\r\n]+$/ });
const wait = scalar({
  expected: "a duration such as 5m, or whole seconds",
  code: "BLUEPRINT_DURATION_INVALID",
  schema: { type: ["string", "integer"] },
  convert(value) {
    const ms = typeof value === "number" ? value * 1000 : parseDuration(String(value));
    return ms !== undefined && Number.isInteger(ms) && ms >= 1 && ms <= 86_400_000 ? ms : undefined;
  },
});
const GATE = object(
  {
    name: { shape: name(), about: "Its name.", isRequired: true },
    command: { shape: words, about: "What is run.", isRequired: true },
    mode: { shape: oneOf("blocking", "warning"), about: "Whether what it finds fails (blocking)." },
    timeout: { shape: wait, about: "Longest time." },
  },
  "a gate",
);
const PROJECT = object(
  { name: { shape: words, about: "Its name." }, type: { shape: words, about: "What it is made of." } },
  "project",
);
const QUALITY = object(
  {
    gates: { shape: list(name(), { min: 0, max: 50 }), about: "Names of gates." },
    custom: { shape: list(GATE, { min: 0, max: 50 }), about: "Gates with their commands." },
  },
  "quality",
);
const FILE = object(
  {
    project: { shape: PROJECT, about: "The project." },
    quality: { shape: QUALITY, about: "What every change is judged by." },
  },
  "openexec.yaml",
);

type QualityFound = NonNullable<ReturnType<typeof QUALITY.read>>;

/** Its gates in order. One that nobody knows a command for is refused: nothing would pass for it. */
export function parseExecProject(source: string, file: string, known: KnownCommands): Result<readonly ExecGate[]> {
  return parseText(source, file, (tree, reading) => {
    const found = FILE.read(tree, reading, "openexec.yaml");
    return found === undefined ? undefined : gatesOf(found.quality?.value ?? {}, known, reading);
  });
}

function gatesOf({ gates, custom }: QualityFound, known: KnownCommands, { problems }: Reading): readonly ExecGate[] {
  const own = (custom?.value ?? []).flatMap(({ value }): ExecGate[] => {
    const { name: called, command, mode, timeout } = value;
    if (called === undefined || command === undefined) return [];
    const program = programOf([command.value]);
    return [{ name: called.value, program, mode: mode?.value ?? "blocking", timeoutMs: timeout?.value ?? null }];
  });
  for (const { value } of custom?.value ?? []) {
    const { name: called } = value;
    if (called === undefined || own.filter(({ name: other }) => other === called.value).length < 2) continue;
    const data = { field: "name", expected: "a name of its own", found: JSON.stringify(called.value) };
    problems.report("BLUEPRINT_VALUE_INVALID", data, called.node);
  }
  const named = (gates?.value ?? []).flatMap(({ value, node }): ExecGate[] => {
    if (own.some((gate) => gate.name === value)) return [];
    const argv = Object.hasOwn(known, value) ? known[value] : undefined;
    if (argv !== undefined) return [{ name: value, program: argv, mode: "blocking", timeoutMs: null }];
    const expected = "a gate of `custom`, or one whose command the files of the project tell";
    problems.report("BLUEPRINT_VALUE_INVALID", { field: "gates", expected, found: JSON.stringify(value) }, node);
    return [];
  });
  return [...named, ...own];
}
