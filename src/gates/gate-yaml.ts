/** The gate.yaml of loop-engineering, with its holes closed: its globs count at any depth, both names of a rename are looked at. */
import { type Diagnostic, diagnose } from "../base/diagnostic.ts";
import { globProblem } from "../base/glob.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { failed, ok, type Result } from "../base/result.ts";
import type { ChangeRules } from "./change.ts";
import { GATE_ERRORS } from "./errors.ts";

/** What gate.yaml itself denies when it says nothing. */
export const DEFAULT_DENY: readonly string[] = [
  ".env",
  ".env.*",
  "**/secrets/**",
  "**/credentials/**",
  "**/*_key*",
  "**/*_secret*",
  ".terraform/**",
  "k8s/production/**",
  "**/migrations/**",
  "auth/**",
  "payments/**",
  "billing/**",
];
const DEFAULT_MAX_FILES = 10;
const DEFAULT_MERGE_ALLOW: readonly string[] = ["docs/**", "**/*.md"];

/** Rules for a change gate whose author says nothing: a person sees whatever is unusual. */
export const DEFAULT_CHANGE_RULES: ChangeRules = {
  deny: DEFAULT_DENY,
  allow: null,
  maxFiles: DEFAULT_MAX_FILES,
  maxLines: null,
  denied: "fail",
  beyond: "escalate",
  submodules: "escalate",
  links: "escalate",
  modes: "escalate",
  ci: "escalate",
  lockfiles: "escalate",
  dotfiles: "escalate",
  binary: "escalate",
};

export interface GateFile {
  /** For what is committed or proposed. */
  readonly change: ChangeRules;
  /** For what is merged without a person. */
  readonly merge: ChangeRules;
}

const FIELDS: readonly string[] = ["version", "denylist", "maxFiles", "autoMergeAllowlist"];
const MOST_GLOBS = 1000;

/** Reads the value of a gate.yaml that was parsed before. Every problem at once. */
export function readGateFile(value: JsonValue): Result<GateFile> {
  if (!isJsonObject(value)) return failed([invalid("the content", "a map")]);
  const problems = [...unknownFields(value), ...scalarProblems(value)];
  const deny = readGlobs(value, "denylist", problems);
  const allow = readGlobs(value, "autoMergeAllowlist", problems);
  if (problems.length > 0) return failed(problems);
  const change: ChangeRules = {
    ...DEFAULT_CHANGE_RULES,
    deny: deny ?? DEFAULT_DENY,
    maxFiles: (value["maxFiles"] as number | undefined) ?? DEFAULT_MAX_FILES,
    denied: "escalate",
  };
  return ok({ change, merge: { ...change, allow: allow ?? DEFAULT_MERGE_ALLOW } });
}

function invalid(field: string, expected: string): Diagnostic {
  return diagnose(GATE_ERRORS, "GATE_FILE_INVALID", { field, expected });
}

function unknownFields(value: JsonObject): Diagnostic[] {
  const unknown = Object.keys(value).filter((field) => !FIELDS.includes(field));
  return unknown.map((field) => {
    const near = nearest(field, FIELDS);
    return diagnose(GATE_ERRORS, "GATE_FIELD_UNKNOWN", near === undefined ? { field } : { field, nearest: near });
  });
}

function scalarProblems(value: JsonObject): Diagnostic[] {
  const { version, maxFiles } = value;
  const isCount = maxFiles === undefined || (Number.isInteger(maxFiles) && Number(maxFiles) >= 1);
  return [
    ...(version === 1 ? [] : [invalid("version", "1")]),
    ...(isCount ? [] : [invalid("maxFiles", "a whole number of at least 1")]),
  ];
}

/** Undefined when the key is missing. */
function readGlobs(value: JsonObject, field: string, problems: Diagnostic[]): readonly string[] | undefined {
  const list = value[field];
  if (list === undefined) return undefined;
  const isList = Array.isArray(list) && list.length <= MOST_GLOBS && list.every((glob) => typeof glob === "string");
  if (!isList) {
    problems.push(invalid(field, `a list of at most ${MOST_GLOBS} globs`));
    return undefined;
  }
  const globs = list as readonly string[];
  problems.push(...globProblems(globs));
  return globs;
}

/** A diagnostic for each text that is no glob. */
export function globProblems(globs: readonly string[]): readonly Diagnostic[] {
  return globs.flatMap((glob) => {
    const problem = globProblem(glob);
    return problem === undefined ? [] : [diagnose(GATE_ERRORS, "GATE_GLOB_INVALID", { glob, problem })];
  });
}
