/** Problems of the runtime itself: files it reads for the user, and the project it works in. */
import type { Catalogue } from "../base/diagnostic.ts";

export const RUNTIME_ERRORS = {
  OPENLOOP_ROOT_MISSING: {
    what: (d: { path: string }) => `the project_root ${d.path} is no folder`,
    why: "The commands of the loop work there.",
    hint: "Correct project_root in openloop.json; a path that is not whole counts from the folder that holds .openloop.",
    retry: "after_change",
    exit: 3,
  },
  OPENLOOP_ROOT_OUTSIDE: {
    what: (d: { path: string; root: string; file: string }) =>
      `the project_root ${d.path} of ${d.file} is not in this project, ${d.root}`,
    why: "A run works on the project it is started in, and keeps its journal there.",
    hint: "Name the project of the loop: pawl -C PROJECT_ROOT run WORKSPACE.",
    retry: "after_change",
    exit: 3,
  },
  GATE_FILE_MISSING: {
    what: (d: { file: string }) => `The file "${d.file}" that a gate takes rules from cannot be found.`,
    why: "Without it the gate would let pass what the file forbids.",
    hint: "Write its path relative to the blueprint, or leave `from` out.",
    retry: "after_change",
    exit: 3,
  },
  AGENT_NOT_INSTALLED: {
    what: (d: { agent: string; install: string }) => `The agent "${d.agent}" is not installed on this machine.`,
    why: "A stage of the plan is done by it, and without it the run would fail there.",
    hint: (d: { agent: string; install: string }) =>
      `${d.install.replace(/\.$/, "")}. \`pawl doctor\` lists the agents that are here; --agent NAME takes another one.`,
    retry: "after_change",
    exit: 3,
  },
  TICK_COPY_FAILED: {
    what: (d: { root: string; detail: string }) => `${d.root} could not be copied for the dry run: ${d.detail}`,
    why: "A dry run works in a copy of the project, so that it changes nothing of yours.",
    hint: (d: { root: string; detail: string }) => `Check that git can read it: git -C ${d.root} status`,
    retry: "after_change",
    exit: 1,
  },
  AGENT_SCRIPT_MISSING: {
    what: (d: { file: string }) => `The script "${d.file}" of an agent cannot be found.`,
    why: "Without it nobody knows what the agent is to do.",
    hint: "Write its path relative to the blueprint.",
    retry: "after_change",
    exit: 3,
  },
  BLUEPRINT_SHIPPED_UNKNOWN: {
    what: (d: { name: string; known: string }) => `no blueprint that comes with Pawl is named "${d.name}"`,
    why: "Without it there is nothing to run.",
    hint: (d: { name: string; known: string }) => `There are: ${d.known}. Any other is named by its path.`,
    retry: "after_change",
    exit: 3,
  },
  BLUEPRINT_SHIPPED_PARAM: {
    what: (d: { name: string; param: string; problem: string }) =>
      `the parameter "${d.param}" of builtin:${d.name} cannot be used: ${d.problem}`,
    why: "The blueprint is written with it, so that its rules name exactly what will run.",
    hint: "Set it under `params` of the loop in pawl.yaml, or with --param.",
    retry: "after_change",
    exit: 3,
  },
  BLUEPRINT_FILE_UNREADABLE: {
    what: (d: { file: string }) => `there is no readable file ${d.file}`,
    why: "A blueprint is a YAML file; without it there is nothing to run.",
    hint: "Check the path, list the blueprints of this project with `pawl list`, or write one with `pawl init`.",
    retry: "after_change",
    exit: 3,
  },
  BLUEPRINT_FILE_HUGE: {
    what: (d: { file: string; bytes: number }) => `${d.file} has ${d.bytes} bytes`,
    why: "A blueprint may have 256 KB; a file far above that is not a blueprint.",
    hint: "Give the path of a blueprint.",
    retry: "after_change",
    exit: 3,
  },
  BLUEPRINT_FILE_NOT_TEXT: {
    what: (d: { file: string }) => `${d.file} is not UTF-8 text`,
    why: "Bytes that are not text could not be shown as they are, nor run as they were meant.",
    hint: "Save the file as UTF-8.",
    retry: "after_change",
    exit: 3,
  },
  POLICY_FILE_UNFIT: {
    what: (d: { file: string; problem: string }) => `the policy ${d.file} cannot be used: ${d.problem}`,
    why: "A policy that is there must hold. Going on without it could allow what it denies.",
    hint: "Mend the file: a regular file of at most 256 KB (pawl.yaml: 2 MB) that only its owner may write. Or take it away.",
    retry: "after_change",
    exit: 3,
  },
  LOOP_FILE_UNFIT: {
    what: (d: { file: string; problem: string }) => `${d.file} cannot be used: ${d.problem}`,
    why: "What people have said there to their loops would be read by nobody.",
    hint: "Make it a regular file of at most 256 KB in UTF-8.",
    retry: "after_change",
    exit: 3,
  },
  BUDGET_FILE_UNFIT: {
    what: (d: { file: string; problem: string }) => `the caps in ${d.file} cannot be read: ${d.problem}`,
    why: "Caps that are there must hold. Going on without them could spend what they forbid.",
    hint: "Mend the file: a regular file of at most 256 KB (pawl.yaml: 2 MB) of UTF-8 text. Or take it away.",
    retry: "after_change",
    exit: 3,
  },
  DRILL_GATES_MISSING: {
    what: (d: { blueprint: string }) => `"${d.blueprint}" has no gate that can be drilled.`,
    why: "A drill plants changes and looks at what the gates do about them: a process, a test, a metric or a look at the change.",
    hint: "Add a gate. A gate that refers to what another stage gives cannot be drilled without that stage.",
    retry: "after_change",
    exit: 3,
  },
  DRILL_TREE_MISSING: {
    what: (d: { blueprint: string }) =>
      `"${d.blueprint}" works in the project folder itself, so nothing can be planted for its gates.`,
    why: "What is planted is known to be bad and never touches your files: it needs a tree of its own.",
    hint: "Leave `workspace: directory` out: a clone or a worktree has a tree.",
    retry: "after_change",
    exit: 3,
  },
  MERGE_RUN_UNFIT: {
    what: (d: { run: string; problem: string }) => `The change of run ${d.run} cannot be merged: ${d.problem}.`,
    why: "Only what the gates of a run have passed, exactly as it is, goes to a branch of yours.",
    hint: (d: { run: string }) => `See how it ended: pawl show ${d.run}`,
    retry: "after_change",
    exit: 3,
  },
  MERGE_CHANGE_OVER: {
    what: (d: { run: string; to: string }) => `The change of run ${d.run} cannot become ${d.to} any more.`,
    why: "It was merged, or it is being merged right now.",
    hint: "See what waits: pawl merge --list",
    retry: "never",
    exit: 3,
  },
  PROJECT_ROOT_MISSING: {
    what: (d: { root: string }) => `the project root ${d.root} is not a folder`,
    why: "Commands run in the project root and state is kept below it.",
    hint: "Give an existing folder with --root.",
    retry: "after_change",
    exit: 3,
  },
} as const satisfies Catalogue;
