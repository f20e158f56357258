import { commandList, flowList, type ShippedParams, workspaceText } from "./shipped-params.ts";

/** `builtin:check`. */
export function checkText(name: string, params: ShippedParams): string {
  const { test, lint } = params;
  const rules = [lint, test].flatMap((argv) => (argv === null ? [] : [`    - { run: ${flowList(argv)} }\n`]));
  const linter =
    lint === null
      ? ""
      : `  - id: lint
    title: Run the linter
    gate: { command: ${commandList(lint)} }
    on: { pass: tests, fail: fail }
`;
  return `# A blueprint: stages that run one after the other, within limits, under a policy.
version: 1
name: ${name}
description: Run the ${lint === null ? "" : "linter and the "}tests of this project.

${workspaceText(params)}

# The run ends when one of these is reached, whatever happens.
limits: { stages: 10, wall: 1h }

# What no rule allows is denied before it starts.
policy:
  allow:
${[...new Set(rules)].join("")}
# For every stage that does not say otherwise.
defaults: { timeout: 20m }

stages:
  # A gate is a check: exit code 0 passes, any other fails. Only a passed gate makes a run a success.
${linter}  - id: tests
    title: Run the tests
    gate: { command: ${commandList(test)} }
    on: { pass: done, fail: fail }
`;
}
