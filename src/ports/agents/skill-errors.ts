/** Problems of skills: of the folders they come from, and of running them. Those that a caller meets begin with `runtime:`. */
import type { Catalogue } from "../../base/diagnostic.ts";

const FILE = { retry: "after_change", exit: 3 } as const;
const AGAIN = { retry: "safe", exit: 1 } as const;
const NEVER = { retry: "never", exit: 1 } as const;

interface Running {
  skill: string;
}

export const SKILL_ERRORS = {
  SKILL_NOT_LOADED: {
    ...NEVER,
    what: (d: Running) => `runtime: skill not loaded: ${d.skill}`,
    why: "Only a skill that was loaded, with its digest known, is run.",
    hint: "Check its name with `pawl doctor`, and that its folder has a SKILL.md and a manifest.yaml with `execution.run`.",
  },
  SKILL_EXECUTION_TIMEOUT: {
    ...AGAIN,
    what: (d: Running & { timeoutMs: number }) =>
      `runtime: skill execution timeout: ${d.skill} took longer than ${d.timeoutMs} ms`,
    why: "Nothing runs without an end. Its processes are gone.",
    hint: "Give it more time with `timeout` in its manifest.yaml, or less to do.",
  },
  SKILL_CIRCUIT_OPEN: {
    ...AGAIN,
    what: (d: Running & { problem: string }) => `runtime: circuit breaker open: ${d.skill}: ${d.problem}`,
    why: "A skill that keeps failing is left alone for a while, so that it harms nobody else.",
    hint: "Wait; one trial is made when the time is over. `pawl why` shows what is left alone and until when.",
  },
  SKILL_RESOURCE_EXHAUSTED: {
    ...NEVER,
    what: (d: Running & { problem: string }) => `runtime: resource exhausted: ${d.skill}: ${d.problem}`,
    why: "A skill has a limit on memory, processor time, processes and output; above it, it is ended.",
    hint: "Raise `resources` in its manifest.yaml, or give it less to do.",
  },
  SKILL_POLICY_REJECTED: {
    ...NEVER,
    what: (d: Running & { problem: string }) => `runtime: policy rejected: ${d.skill}: ${d.problem}`,
    why: "What no rule allows does not happen. Nothing was started.",
    hint: "Allow it with a rule such as { tool: skill__name }, or grant the permission that it needs.",
  },
  SKILL_INPUT_INVALID: {
    ...NEVER,
    what: (d: Running & { problem: string }) => `runtime: invalid input: ${d.skill}: ${d.problem}`,
    why: "The skill says in `input_schema` what it takes. Nothing was started.",
    hint: "Give it an input of that form.",
  },
  SKILL_OUTPUT_INVALID: {
    ...NEVER,
    what: (d: Running & { problem: string }) => `runtime: invalid output: ${d.skill}: ${d.problem}`,
    why: "The skill says in `output_schema` what it gives; whoever reads it relies on that.",
    hint: "Mend the skill: its standard output is one JSON value, and nothing else.",
  },
  SKILL_RUN_FAILED: {
    ...NEVER,
    what: (d: Running & { problem: string }) => `runtime: skill failed: ${d.skill}: ${d.problem}`,
    why: "Its program did not end well.",
    hint: "Its log says more.",
  },
  SKILL_FRONT_MATTER_INVALID: {
    ...FILE,
    what: (d: { file: string; problem: string }) => `${d.file}: ${d.problem}`,
    why: "Without its name and description nobody can choose the skill. It was left out.",
    hint: "Begin the file with a line `---`, then `name:` and `description:`, then a line `---`.",
  },
  SKILL_KEY_IGNORED: {
    ...FILE,
    what: (d: { file: string; key: string; about: string }) => `${d.file}: the key "${d.key}" ${d.about}`,
    why: "The skill was loaded, and you should know what of it has no effect.",
    hint: "Take the key away, or put what it means into manifest.yaml.",
  },
  SKILL_FOLDER_UNFIT: {
    ...FILE,
    what: (d: { file: string; problem: string }) => `the skill in ${d.file} cannot be used: ${d.problem}`,
    why: "What is run must be what was read: plain files of a bounded size, and no links. It was left out.",
    hint: "Mend the folder, or take it away.",
  },
  SKILL_NAME_TAKEN: {
    ...FILE,
    what: (d: { file: string; skill: string; other: string }) => `${d.file}: ${d.skill} is also in ${d.other}`,
    why: "Which of two would be used must not depend on chance. The second was left out.",
    hint: "Give one of them another name or another version.",
  },
} as const satisfies Catalogue;
