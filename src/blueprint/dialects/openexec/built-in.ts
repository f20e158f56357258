/** The blueprints that OpenExec brings along, in its own form, so that they are read as any other: here what mends is reached. */
const STANDARD_TASK = `
id: standard_task
name: Standard task
description: Reads the project, does the task, and mends it until lint, tests and a review are content.
version: "1"
initial_stage: gather_context
stages:
  gather_context:
    name: Gather context
    type: deterministic
    action: build_context_pack
    outputs: [context_pack]
    on_success: implement
  implement:
    name: Implement
    type: agentic
    toolset: coding_backend
    inputs: [context_pack]
    prompt: Do the task with the smallest change that does it whole.
    max_retries: 1
    create_checkpoint: true
    on_success: lint
  lint:
    name: Lint
    type: deterministic
    action: run_linters
    on_success: test
    on_failure: fix_lint
  fix_lint:
    name: Fix lint
    type: agentic
    toolset: coding_backend
    prompt: Mend what the linter found, and nothing else. Its log is your input.
    max_retries: 3
    on_success: lint
  test:
    name: Test
    type: deterministic
    action: run_tests
    on_success: review
    on_failure: fix_tests
  fix_tests:
    name: Fix tests
    type: agentic
    toolset: debug_ci
    prompt: Mend the code so that the failing tests pass. Do not change the tests. Their log is your input.
    max_retries: 3
    on_success: lint
  review:
    name: Review
    type: deterministic
    action: prepare_review_bundle
    on_success: complete
`;

const QUICK_FIX = `
id: quick_fix
name: Quick fix
description: One change, then the tests of the project.
version: "1"
initial_stage: implement
stages:
  implement:
    name: Implement
    type: agentic
    toolset: coding_backend
    prompt: Do the task with the smallest change that does it whole.
    max_retries: 1
    on_success: verify
  verify:
    name: Verify
    type: deterministic
    action: run_tests
    on_success: complete
`;

const BUILT_IN: ReadonlyMap<string, string> = new Map([
  ["standard_task", STANDARD_TASK],
  ["quick_fix", QUICK_FIX],
]);

export function builtIn(name: string): string | undefined {
  return BUILT_IN.get(name);
}
