/** The patterns of loop-engineering, for a project that has no registry of its own: the facts of each, with goals in our words. */

/** How messages name it. */
export const SHIPPED = "(shipped patterns)";

export const SHIPPED_REGISTRY = `# The patterns that Pawl ships. A project that has patterns/registry.yaml uses that instead.
patterns:
  - id: issue-pr-repair
    name: Issue + PR Repair
    file: issue-pr-repair.md
    goal: "Take one bug or stuck pull request, repair it with little change, and show that it holds"
    cadence: 6h
    risk: medium
    tools: [grok, claude-code, codex, opencode]
    skills: [issue-pr-repair, minimal-fix, loop-verifier, loop-guard]
    state: repair-loop-state.md
    phases: [collect, select, lease, reproduce, fix, verify, promote, handoff]
    human_gates: [security, auth, billing, migrations, deployment, release, flaky-infra, max-attempts, high-risk]
    starter: starters/issue-pr-repair
    week_one_mode: L2
    token_cost: high
    cost:
      tokens_noop: 3000
      tokens_report: 50000
      tokens_action: 300000
      stable_fraction: 0.35
      suggested_daily_cap: 750000
      early_exit_required: true
  - id: pr-babysitter
    name: PR Babysitter
    file: pr-babysitter.md
    goal: "Keep open pull requests moving: reviews, checks, rebases, until they can be merged"
    cadence: 5m-15m
    risk: medium
    tools: [grok, claude-code, codex, openclaw, opencode, github-actions]
    skills: [pr-review-triage, minimal-fix, rebase-and-clean]
    state: pr-babysitter-state.md
    phases: [discover, triage, fix, verify, notify]
    human_gates: [security, payments, auth, max-fix-attempts]
    starter: starters/pr-babysitter
    week_one_mode: L1
    token_cost: high
    cost:
      tokens_noop: 3000
      tokens_report: 80000
      tokens_action: 250000
      stable_fraction: 0.35
      suggested_daily_cap: 2000000
      early_exit_required: true
  - id: daily-triage
    name: Daily Triage
    file: daily-triage.md
    goal: "Look once a day at checks, issues and commits, and say what matters most"
    cadence: 1d-2h
    risk: low
    tools: [grok, claude-code, codex, openclaw, opencode, github-actions]
    skills: [loop-triage, minimal-fix]
    state: STATE.md
    phases: [report, act-small-wins, escalate]
    human_gates: [design-decisions, multi-file-refactors]
    starter: starters/minimal-loop
    week_one_mode: L1
    token_cost: low
    cost:
      tokens_noop: 5000
      tokens_report: 50000
      tokens_action: 200000
      stable_fraction: 0.35
      suggested_daily_cap: 100000
      early_exit_required: false
  - id: ci-sweeper
    name: CI Sweeper
    file: ci-sweeper.md
    goal: "Repair failing checks with the smallest change, or hand them to a person"
    cadence: 5m-15m
    risk: medium
    tools: [grok, claude-code, codex, openclaw, opencode, github-actions, windsurf]
    skills: [ci-triage, minimal-fix]
    state: ci-sweeper-state.md
    phases: [detect, classify, fix, verify, escalate]
    human_gates: [infra-failures, max-attempts, security-tests]
    starter: starters/ci-sweeper
    week_one_mode: L2
    token_cost: very-high
    cost:
      tokens_noop: 5000
      tokens_report: 50000
      tokens_action: 200000
      stable_fraction: 0.35
      suggested_daily_cap: 1000000
      early_exit_required: true
  - id: post-merge-cleanup
    name: Post-Merge Cleanup
    file: post-merge-cleanup.md
    goal: "Tidy up what merges to the main branch have left behind"
    cadence: 1d-6h
    risk: low
    tools: [grok, claude-code, codex, openclaw, opencode, github-actions]
    skills: [post-merge-scan, minimal-fix]
    state: post-merge-state.md
    phases: [scan-merges, prioritize, fix-small, ticket-large]
    human_gates: [architectural-debt, feature-flags, large-diffs]
    starter: starters/post-merge-cleanup
    week_one_mode: L1
    token_cost: low
    cost:
      tokens_noop: 5000
      tokens_report: 40000
      tokens_action: 150000
      stable_fraction: 0.35
      suggested_daily_cap: 200000
      early_exit_required: false
  - id: dependency-sweeper
    name: Dependency Sweeper
    file: dependency-sweeper.md
    goal: "Apply dependency updates that are safe, show that they are, and hand over the others"
    cadence: 6h-1d
    risk: medium
    tools: [grok, claude-code, codex, openclaw, opencode, github-actions, windsurf]
    skills: [dependency-triage, minimal-fix, loop-verifier]
    state: dependency-sweeper-state.md
    phases: [scan, triage-risk, patch-safe, verify-worktree, escalate-risky]
    human_gates: [major-bumps, high-sev-cve, denylisted-packages, max-attempts]
    starter: starters/dependency-sweeper
    week_one_mode: L2
    token_cost: medium
    cost:
      tokens_noop: 5000
      tokens_report: 60000
      tokens_action: 300000
      stable_fraction: 0.35
      suggested_daily_cap: 500000
      early_exit_required: true
  - id: changelog-drafter
    name: Changelog Drafter
    file: changelog-drafter.md
    goal: "Draft the notes of a release from what was merged, for a person to edit"
    cadence: 1d
    risk: low
    tools: [grok, claude-code, codex, openclaw, opencode, github-actions]
    skills: [changelog-scan, draft-release-notes, loop-verifier]
    state: changelog-drafter-state.md
    phases: [scan-merges, categorize, draft, review, publish]
    human_gates: [breaking-changes, security, major-features, marketing-sensitive]
    starter: starters/changelog-drafter
    week_one_mode: L1
    token_cost: low
    cost:
      tokens_noop: 5000
      tokens_report: 35000
      tokens_action: 80000
      stable_fraction: 0.35
      suggested_daily_cap: 100000
      early_exit_required: false
  - id: issue-triage
    name: Issue Triage
    file: issue-triage.md
    goal: "Sort new issues: find doubles, set priorities, propose labels"
    cadence: 2h-1d
    risk: low
    tools: [grok, claude-code, codex, openclaw, opencode, github-actions, windsurf]
    skills: [issue-triage, loop-verifier]
    state: issue-triage-state.md
    phases: [discover, dedupe, score, propose-labels, human-review]
    human_gates: [security, p0-p1, ambiguous-duplicates, stale-closures]
    starter: starters/issue-triage
    week_one_mode: L1
    token_cost: low
    cost:
      tokens_noop: 3000
      tokens_report: 30000
      tokens_action: 60000
      stable_fraction: 0.35
      suggested_daily_cap: 80000
      early_exit_required: false
`;
