/** Guards of the doors: what a file of another system may not bring in, drop or leave unchecked. */
import type { Mutant } from "./mutant.ts";

const OPENEXEC = ["src/blueprint/dialects/openexec"];
const STAGES = "src/blueprint/dialects/openexec/stages-of.ts";
const STAGE = "src/blueprint/dialects/openexec/exec-stage.ts";

export const DOOR_MUTANTS: readonly Mutant[] = [
  {
    name: "a long pawl.yaml that was changed is taken for the one before",
    file: "src/blueprint/parse-text.ts",
    find: "if (kept?.text === text) return kept.tree;",
    replace: "if (kept?.text.length === text.length) return kept.tree;",
    tests: ["src/blueprint/project/parse-project.test.ts"],
  },
  {
    name: "doctor plans all loops at once",
    file: "src/runtime/loops/check-project.ts",
    find: "  for (const loop of file.value.loops)\n",
    replace: "  await Promise.all(file.value.loops.map(outlookOf));\n  for (const loop of file.value.loops)\n",
    tests: ["src/runtime/loops/check-project.test.ts"],
  },
  {
    name: "a command of OpenExec that needs a shell is left for another",
    file: "src/runtime/doors/openexec/exec-project.ts",
    find: 'gates.map(({ name, program }) => [name, typeof program === "string" ? ["sh", "-c", program] : program] as const),',
    replace: 'gates.flatMap(({ name, program }) => (typeof program === "string" ? [] : [[name, program] as const])),',
    tests: ["test/integration/openexec.test.ts"],
  },
  {
    name: "a broken file of another system is told as a blueprint",
    file: "src/runtime/doors/door.ts",
    find: "  return isFound;\n}",
    replace: "  return false;\n}",
    tests: ["src/runtime/doors/open-door.test.ts"],
  },
  {
    name: "a stage of OpenExec begins without the approval it requires",
    file: STAGES,
    find: "...(stage.approval ? [questionOf(stage)] : []),",
    replace: "",
    tests: OPENEXEC,
  },
  {
    name: "a way of OpenExec leads past an approval",
    file: STAGES,
    find: "id === target && approval) ? `${target}-approval` : target",
    replace: "id === target && approval) ? target : target",
    tests: OPENEXEC,
  },
  {
    name: "what mends is visited without end",
    file: STAGES,
    find: "return mends && !follows ? Math.max(1, retries) : null;",
    replace: "return mends && !follows && retries > 100 ? Math.max(1, retries) : null;",
    tests: OPENEXEC,
  },
  {
    name: "quality gates that are not there pass",
    file: STAGE,
    find: "if (gates?.value !== true || hasGates) return;",
    replace: "if (gates?.value !== true || !hasGates) return;",
    tests: OPENEXEC,
  },
  {
    name: "a looser rule of OpenExec that comes first is dropped without a word",
    file: "src/blueprint/policy/read-open-exec.ts",
    find: "one.priority > priority",
    replace: "one.priority > priority + 1e9",
    tests: OPENEXEC,
  },
  {
    name: "a rule about any request allows everything",
    file: "src/blueprint/policy/read-pattern.ts",
    find: 'effect === "allow" && value.when === undefined',
    replace: 'effect === "deny" && value.when === undefined',
    tests: ["src/blueprint/policy/parse-policy.test.ts"],
  },
  {
    name: "a child, or a drill, shows in the files of another system",
    file: "src/plan/compile.ts",
    find: "return origin === undefined || ancestors.length > 0 ? {} : { origin };",
    replace: "return origin === undefined ? {} : { origin };",
    tests: ["src/plan/compile.test.ts"],
  },
  {
    name: "init does not say which file of another system is broken",
    file: "src/cli/input/survey/foreign-loops.ts",
    find: "if (problems.length > 0) throw new PawlError(problems);",
    replace: "",
    tests: ["test/e2e/init.test.ts"],
  },
  {
    name: "half a line of a timeline stays",
    file: "src/runtime/projections/openexec/timeline-file.ts",
    find: "if (!there.equals(bytes)) await files.put",
    replace: "if (there.length === 0) await files.put",
    tests: ["src/runtime/projections/openexec"],
  },
  {
    name: "what is no line of a timeline stays behind it",
    file: "src/runtime/projections/openexec/timeline-file.ts",
    find: "if (found.length > at) await",
    replace: "if (at < 0) await",
    tests: ["src/runtime/projections/openexec"],
  },
  {
    name: "a line of a timeline that could not be written leaves a hole",
    file: "src/runtime/projections/openexec/timeline-file.ts",
    find: "      late = bytes;\n",
    replace: "",
    tests: ["src/runtime/projections/openexec"],
  },
  {
    name: "a timeline is written through a link that leads out",
    file: "src/runtime/projections/openexec/projector.ts",
    find: "if (!(await lstat(folder)).isDirectory())",
    replace: 'if (folder === "")',
    tests: ["src/runtime/projections/openexec"],
  },
  {
    name: "doctor takes two loops with other parameters for one",
    file: "src/runtime/loops/check-project.ts",
    find: "canonical([source, level, params, agent,",
    replace: "canonical([source, level, agent,",
    tests: ["src/runtime/loops/check-project.test.ts"],
  },
  {
    name: "doctor plans the same once for each loop",
    file: "src/runtime/loops/check-project.ts",
    find: "known.set(key, outlook);",
    replace: "",
    tests: ["src/runtime/loops/check-project.test.ts"],
  },
  {
    name: "a manifest that is not there counts as one that cannot be read",
    file: "src/runtime/survey/package-manifest.ts",
    find: "(await isThere(join(root, file))) && ",
    replace: "",
    tests: ["src/runtime/survey/find-test-command.test.ts"],
  },
];
