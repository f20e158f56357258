/** Problems of the command line itself. */
import type { Catalogue } from "../base/diagnostic.ts";

export const CLI_ERRORS = {
  CLI_COMMAND_UNKNOWN: {
    what: (d: { name: string; near: string }) => `There is no command "${d.name}".${d.near}`,
    why: "Nothing was done: a word that is not a command is never guessed.",
    hint: "`pawl help` lists every command.",
    retry: "after_change",
    exit: 3,
  },
  CLI_USAGE_INVALID: {
    what: (d: { message: string; command: string }) => d.message,
    why: "Nothing was done: an argument without a meaning is refused, not ignored.",
    hint: (d: { message: string; command: string }) => `\`${`pawl help ${d.command}`.trim()}\` shows the usage.`,
    retry: "after_change",
    exit: 3,
  },
  CLI_BLUEPRINT_UNKNOWN: {
    what: (d: { name: string; near: string }) => `No blueprint is named "${d.name}" and no such file exists.${d.near}`,
    why: "A blueprint is given by its path, or by its name when it is one of the project's.",
    hint: "`pawl list` shows the blueprints of the project; `pawl init` writes a first one.",
    retry: "after_change",
    exit: 3,
  },
  CLI_BLUEPRINT_AMBIGUOUS: {
    what: (d: { name: string; paths: readonly string[] }) =>
      `More than one blueprint is named "${d.name}": ${d.paths.join(", ")}.`,
    why: "Running the wrong one cannot be undone, so none is chosen.",
    hint: "Give the path instead of the name.",
    retry: "after_change",
    exit: 3,
  },
  CLI_PARAM_INVALID: {
    what: (d: { text: string }) => `"${d.text}" is not a parameter of the form name=value.`,
    why: "A parameter without a name or a value would be lost silently.",
    hint: "Write --param name=value. A value that is JSON keeps its type: --param n=3, --param 'list=[\"a\"]'.",
    retry: "after_change",
    exit: 3,
  },
  CLI_PARAM_REPEATED: {
    what: (d: { name: string }) => `The parameter "${d.name}" is given twice.`,
    why: "Only one value can be meant.",
    hint: "Give each parameter once.",
    retry: "after_change",
    exit: 3,
  },
  CLI_FILE_EXISTS: {
    what: (d: { path: string }) => `${d.path} exists already.`,
    why: "It may hold your own work, so it is left as it is.",
    hint: "Use --force to replace it.",
    retry: "after_change",
    exit: 3,
  },
  CLI_FILE_UNWRITABLE: {
    what: (d: { path: string; message: string }) => `${d.path} could not be written: ${d.message}.`,
    why: "Nothing was changed.",
    hint: "Check that the directory exists and that you may write to it.",
    retry: "after_change",
    exit: 1,
  },
  CLI_TEST_COMMAND_UNKNOWN: {
    what: (d: { root: string }) => `No test command was found in ${d.root}.`,
    why: "A blueprint without a real check would call everything a success.",
    hint: "Say what checks this project: `pawl init -- make check`.",
    retry: "after_change",
    exit: 3,
  },
  CLI_CODE_UNKNOWN: {
    what: (d: { code: string; near: string }) => `There is no error code "${d.code}".${d.near}`,
    why: "Codes are stable names; each has one explanation.",
    hint: "`pawl explain --all` lists them.",
    retry: "after_change",
    exit: 3,
  },
  CLI_STAGE_UNKNOWN: {
    what: (d: { run: string; stage: string; near: string }) => `Run ${d.run} has no stage "${d.stage}".${d.near}`,
    why: "An empty answer would look like a stage that wrote nothing.",
    hint: (d: { run: string; stage: string; near: string }) => `\`pawl show ${d.run}\` lists the stages that ran.`,
    retry: "after_change",
    exit: 3,
  },
  CLI_LOG_MISSING: {
    what: (d: { run: string; which: string }) => `Run ${d.run} has no stored log${d.which}.`,
    why: "Only commands and gates write a log, and it is stored when the attempt has ended.",
    hint: (d: { run: string; which: string }) => `\`pawl show ${d.run}\` shows how far the run is.`,
    retry: "safe",
    exit: 1,
  },
  CLI_FORK_STAGE_MISSING: {
    what: (d: { given: string }) => `"${d.given}" does not name a run and a stage.`,
    why: "A fork goes on from one stage of one run.",
    hint: "Write the run, then @ and the stage: `pawl fork r_4f@fix`.",
    retry: "after_change",
    exit: 3,
  },
  CLI_RUN_FOREIGN: {
    what: (d: { run: string; blueprint: string; wanted: string }) =>
      `Run ${d.run} is one of "${d.blueprint}", not of "${d.wanted}".`,
    why: "An incident counts against the blueprint whose run did the harm.",
    hint: (d: { run: string; blueprint: string; wanted: string }) =>
      `Name the blueprint "${d.blueprint}", or another run.`,
    retry: "after_change",
    exit: 3,
  },
  CLI_PATCH_UNREADABLE: {
    what: (d: { path: string }) => `The patch ${d.path} cannot be read.`,
    why: "A drill without a change that you know to be bad would look better than it is.",
    hint: "Give the path of a patch as `git diff` writes it, at most 1 MB.",
    retry: "after_change",
    exit: 3,
  },
  CLI_AGE_INVALID: {
    what: (d: { age: string }) => `"${d.age}" is not an age.`,
    why: "Trees are dropped by age, and a wrong one could drop what you still need.",
    hint: "Write a number with a unit: 30d, 12h.",
    retry: "after_change",
    exit: 3,
  },
  CLI_DEFECT: {
    what: (d: { message: string }) => `Pawl itself failed: ${d.message}`,
    why: "This is a defect of Pawl, not of your input. A run under way stays resumable.",
    hint: "Please report it with the lines below.",
    retry: "never",
    exit: 1,
  },
} as const satisfies Catalogue;
