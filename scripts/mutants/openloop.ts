/** Guards of openloop workspaces: what lands in a project, what a shell may read, and what is kept of a command. */
import type { Mutant } from "./mutant.ts";

const APPLY = "src/adapters/git-actions/apply-action.ts";
const APPLIED = ["test/integration/project-apply.test.ts"];
const TEMPLATE = "src/blueprint/dialects/openloop/template.ts";
const DIALECT = ["src/blueprint/dialects/openloop"];

const KEEP = "src/adapters/process/take/keep.ts";
const KEPT = ["test/integration/process-keep.test.ts"];

export const OPENLOOP_MUTANTS: readonly Mutant[] = [
  {
    name: "what no gate has passed is put into the project",
    file: APPLY,
    find: "if (changes.length > 0 && !context.verified)",
    replace: "if (changes.length < 0 && !context.verified)",
    tests: APPLIED,
  },
  {
    name: "a change of the user is overwritten",
    file: APPLY,
    find: "if (isSame(found, old)) return true;",
    replace: 'if (isSame(found, old) || path !== "") return true;',
    tests: APPLIED,
  },
  {
    name: "what is sealed is put into the project",
    file: APPLY,
    find: "if (sealedPartOf(path, sealed) !== undefined)",
    replace: 'if (sealedPartOf(path, sealed) === "")',
    tests: APPLIED,
  },
  {
    name: "a variable is filled in where its quotes cannot be told",
    file: TEMPLATE,
    find: "if (unsure !== null) return",
    replace: "if (unsure === text) return",
    tests: DIALECT,
  },
  {
    name: "a baseline is complete before a change is judged again",
    file: "src/blueprint/dialects/openloop/translate.ts",
    find: "`on: { success: ${first}, failure: ${first} }`",
    replace: "`on: { success: verify, failure: verify }`",
    tests: DIALECT,
  },
  {
    name: "one round more is run than was asked for",
    file: "src/blueprint/dialects/openloop/translate.ts",
    find: "Math.min(totalRounds, place.maxRounds ?? totalRounds);",
    replace: "Math.min(totalRounds, place.maxRounds ?? totalRounds) + 1;",
    tests: DIALECT,
  },
  {
    name: "more files are kept than there is room for",
    file: KEEP,
    find: "kept.size < MOST_KEPT.files",
    replace: "kept.size >= 0",
    tests: KEPT,
  },
  {
    name: "more bytes are kept than there is room for",
    file: KEEP,
    find: "left -= stored.bytes;",
    replace: "left -= 0;",
    tests: KEPT,
  },
  {
    name: "a path that is kept may be of any length",
    file: KEEP,
    find: "path.length <= LONGEST",
    replace: "path.length >= 0",
    tests: KEPT,
  },
  {
    name: "a secret in the name of a kept file is stored",
    file: KEEP,
    find: "`./${redact(path)}`",
    replace: "`./${path}`",
    tests: KEPT,
  },
  {
    name: "what a process has not written is kept",
    file: KEEP,
    find: "now.ino === before.ino && now.size",
    replace: "now.ino < 0n && now.size",
    tests: KEPT,
  },
  {
    name: "a process hides what it has written by setting its time back",
    file: KEEP,
    find: "now.ctimeNs === before.ctimeNs",
    replace: "now.ino === before.ino",
    tests: KEPT,
  },
  {
    name: "the search for kept files has no end",
    file: KEEP,
    find: "if (looked > MOST_LOOKED)",
    replace: "if (looked < 0)",
    tests: KEPT,
  },
  {
    name: "git data is kept",
    file: KEEP,
    find: 'if (names.at(-1)?.toLowerCase() === ".git") return false;',
    replace: "",
    tests: KEPT,
  },
  {
    name: "the folder of kept files is made behind a link",
    file: KEEP,
    find: "?.isDirectory() !== true) return;",
    replace: "?.isDirectory() === undefined) return;",
    tests: KEPT,
  },
  {
    name: "folders of kept files are made in the project",
    file: KEEP,
    find: "folder === null ? [] : starts",
    replace: "starts",
    tests: KEPT,
  },
  {
    name: "a folder that became a link is searched outside",
    file: "src/adapters/process/take/store-file.ts",
    find: 'if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)) return',
    replace: "if (way !== sep) return",
    tests: ["test/integration/host-file-race.test.ts", ...KEPT],
  },
  {
    name: "what a check keeps is lost when it is cut short",
    file: "src/kernel/judge/tests.ts",
    find: "Object.keys(artifacts).length === 0 ? {} : { artifacts }",
    replace: "Object.keys(artifacts).length >= 0 ? {} : { artifacts }",
    tests: ["src/kernel/judge"],
  },
  {
    name: "two kept files become one file of a workspace",
    file: "src/runtime/projections/artifact-files.ts",
    find: "&& !files.has(plain)",
    replace: "",
    tests: ["src/runtime/projections"],
  },
];
