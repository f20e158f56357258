import { commandList, flowList, type ShippedParams, workspaceText } from "./shipped-params.ts";

/** `builtin:fix-tests`. */
export function fixTestsText(name: string, params: ShippedParams): string {
  const { test, lint, agent, usd } = params;
  const rules = [lint, test].flatMap((argv) => (argv === null ? [] : [`    - { run: ${flowList(argv)} }\n`]));
  const linter =
    lint === null
      ? ""
      : `  - id: lint
    title: Run the linter
    gate: { command: ${commandList(lint)} }
    on: { pass: change, fail: fix }
`;
  return `# An agent repairs, a gate judges its work in a fresh checkout, and what passed is proposed as a branch.
version: 1
name: ${name}
description: Make the failing tests pass with the smallest change.

${workspaceText(params)}

# The run ends when one of these is reached, whatever happens.
limits: { rounds: 3, wall: 3h, usd: ${usd}, tokens: 5m, consecutive_failures: 3 }

# For every stage that does not say otherwise.
defaults: { agent: ${agent}, timeout: 30m }

# What no rule allows is denied before it happens, to the agent too.
policy:
  use: [everyday]
  allow:
    - { action: agent.${agent} }
    - { read: "**" }
    - { edit: "**" }
${[...new Set(rules)].join("")}    - { action: git.commit }

stages:
  # Nothing to do when the tests pass.
  - id: scan
    title: Run the tests
    gate: { command: ${commandList(test)} }
    on: { pass: done, fail: fix }
  - id: fix
    title: Make the failing tests pass
    agent: { goal: "Make the failing tests pass with the smallest change to the source. Leave the tests as they are." }
    inputs: [scan.log]
    models: { tokens: 1m, usd: ${Math.max(0.01, Math.floor((usd * 100) / 4) / 100)} }
  # Test by test against the commit it began with; tests, their configuration and lockfiles are those of that commit.
  - id: verify
    title: Judge the change
    gate: { tests: { command: ${commandList(test)}, must: all_pass } }
    on: { pass: ${lint === null ? "change" : "lint"}, fail: fix, escalate: human }
${linter}  # Small, or a person is asked.
  - id: change
    title: Look at the size of the change
    gate: { change: { max_files: 10, max_lines: 300 } }
    on: { pass: commit, escalate: human, empty: fail }
  - id: human
    title: Ask a person
    level: L2
    gate: { approval: { question: "Propose this change?", expires: 24h } }
    on: { pass: commit, fail: fail }
  - id: commit
    title: Propose it as a branch
    level: L2
    action: git.commit
    with: { message: "Make the failing tests pass" }
`;
}
