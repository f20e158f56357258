/** Guards of pawl.yaml and of init: what a loop may not be, and what is never written over. */
import type { Mutant } from "./mutant.ts";

const PARSER = ["src/blueprint/project"];

export const PROJECT_MUTANTS: readonly Mutant[] = [
  {
    name: "a loop may name a lane that is not there",
    file: "src/blueprint/project/parse-project.ts",
    find: "lane !== DEFAULT_LANE && !lanes.some(",
    replace: "lane === DEFAULT_LANE && !lanes.some(",
    tests: PARSER,
  },
  {
    name: "a loop may weigh more than the machine",
    file: "src/blueprint/project/parse-project.ts",
    find: "weight.memoryBytes > machine.memoryBytes || weight.cpus > machine.cpus",
    replace: "weight.memoryBytes > machine.memoryBytes",
    tests: PARSER,
  },
  {
    name: "a loop may be started in two ways",
    file: "src/blueprint/project/parse-project.ts",
    find: "if (second !== undefined) {",
    replace: "if (second === (first ?? null)) {",
    tests: PARSER,
  },
  {
    name: "a day that never comes is waited for",
    file: "src/blueprint/project/cron.ts",
    find: 'return fits(fields) ? fields : "there is no such day in these months";',
    replace: 'return fits(fields) || fields.days.length > 0 ? fields : "";',
    tests: PARSER,
  },
  {
    name: "a parameter that a blueprint of ours does not have is ignored",
    file: "src/runtime/shipped/shipped-blueprints.ts",
    find: "if (!found.params.some((each) => each === param))",
    replace: "if (!found.params.some(() => true))",
    tests: ["src/runtime/shipped"],
  },
  {
    name: "JSON passes on characters that nobody sees",
    file: "src/cli/output.ts",
    find: "\\p{Default_Ignorable_Code_Point}",
    replace: "",
    tests: ["src/cli/output.test.ts"],
  },
];
