/** One mutant per guard: the smallest edit that takes the guard away, and the tests that must notice. */

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Must stand exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  /** Simulated runs; 400 unless told. */
  readonly seeds?: number;
}

const LAWS = ["test/simulation/crash.test.ts"];

export const MUTANTS: readonly Mutant[] = [
  {
    name: "an effect begins before its INTENT is durable",
    file: "src/kernel/loop.ts",
    find: "          if (!(await commit(host))) return { lost: true };\n          launch(host);\n",
    replace: "          launch(host);\n          if (!(await commit(host))) return { lost: true };\n",
    tests: LAWS,
  },
  {
    name: "a lost attempt is not recorded as lost",
    file: "src/kernel/recover.ts",
    find: 'if (lane.status === "running") facts',
    replace: 'if (lane.status === "lost") facts',
    tests: LAWS,
  },
  {
    name: "a lost once attempt is repeated unasked",
    file: "src/run/evolve.ts",
    find: 'lane.leaf.effect === "once" ? "lost" : "ready"',
    replace: '"ready"',
    tests: LAWS,
  },
  {
    name: "a denied request is allowed",
    file: "src/kernel/authorize.ts",
    find: 'if (decision.effect === "allow") return',
    replace: 'if (decision.effect !== "ask") return',
    tests: LAWS,
    seeds: 1500,
  },
  {
    name: "a request that must be asked about is allowed",
    file: "src/kernel/authorize.ts",
    find: 'if (decision.effect === "allow") return',
    replace: 'if (decision.effect !== "deny") return',
    tests: LAWS,
    seeds: 1500,
  },
  {
    name: "an answer is good for any content",
    file: "src/kernel/authorize.ts",
    find: "start.granted === digest",
    replace: "start.granted !== null",
    tests: ["src/kernel/authorize.test.ts"],
  },
  {
    name: "strictest does not win",
    file: "src/policy/evaluate.ts",
    find: '["deny", "ask", "allow"]',
    replace: '["allow", "ask", "deny"]',
    tests: ["src/policy"],
  },
  {
    name: "max_attempts is not counted",
    file: "src/run/lanes.ts",
    find: "lane.failures >= lane.leaf.maxAttempts",
    replace: "lane.failures > lane.leaf.maxAttempts",
    tests: LAWS,
  },
  {
    name: "max_visits is not checked",
    file: "src/run/decide.ts",
    find: "visitLimit(stage, facts) ?? startLimit(",
    replace: "startLimit(",
    tests: LAWS,
  },
  {
    name: "rounds are not limited",
    file: "src/run/limits.ts",
    find: "rounds !== null && facts.round >= rounds",
    replace: "rounds !== null && facts.round >= rounds + 1",
    tests: LAWS,
  },
  {
    name: "limits.stages is not checked",
    file: "src/run/limits.ts",
    find: "stages !== null && facts.started >= stages",
    replace: "stages !== null && facts.started > stages",
    tests: LAWS,
  },
  {
    name: "nothing is reserved before it is spent",
    file: "src/run/limits.ts",
    find: "facts.usage.tokens + reserved.tokens + cost.tokens > tokens",
    replace: "facts.usage.tokens > tokens",
    tests: ["src/run/limits.test.ts"],
  },
  {
    name: "what lanes under way may spend is forgotten",
    file: "src/run/limits.ts",
    find: "facts.usage.tokens + reserved.tokens + cost.tokens > tokens",
    replace: "facts.usage.tokens + cost.tokens > tokens",
    tests: ["src/run/limits.test.ts"],
  },
  {
    name: "the run clock is not checked",
    file: "src/run/limits.ts",
    find: "deadline !== null && now >= deadline",
    replace: "deadline !== null && now < 0",
    tests: ["src/run/limits.test.ts"],
  },
  {
    name: "failures in a row are not limited",
    file: "src/run/limits.ts",
    find: "facts.consecutiveFailures >= consecutiveFailures",
    replace: "facts.consecutiveFailures < 0",
    tests: ["src/run/limits.test.ts"],
  },
  {
    name: "a group starts every member at once",
    file: "src/run/decide.ts",
    find: "running < maxParallel ? ready.find((lane) => lane.readyAt <= now) : undefined",
    replace: "ready.find((lane) => lane.readyAt <= now)",
    tests: LAWS,
  },
  {
    name: "a failed member does not fail its group",
    file: "src/run/decide.ts",
    find: 'outcome: failed ? "failure" : "success"',
    replace: 'outcome: "success"',
    tests: ["src/run/decide.test.ts"],
  },
  {
    name: "a failed gate counts as verified",
    file: "src/run/finish.ts",
    find: '  if (verdicts.some((verdict) => verdict !== "pass")) return "unverified";\n',
    replace: "",
    tests: LAWS,
  },
  {
    name: "no gate is needed above L1",
    file: "src/run/finish.ts",
    find: 'mayReport ? "reported" : "unverified"',
    replace: '"reported"',
    tests: LAWS,
  },
  {
    name: "stages start while the run is stopping",
    file: "src/run/decide.ts",
    find: "  if (state.stopping !== null) {",
    replace: "  if (state.stopping !== null && !busy && progress.lanes.size === 0) {",
    tests: LAWS,
  },
  {
    name: "stages start while the run is pausing",
    file: "src/run/decide.ts",
    find: "  if (state.pausing !== null)",
    replace: "  if (state.pausing !== null && !busy && progress.lanes.size === 0)",
    tests: LAWS,
    seeds: 1500,
  },
  {
    name: "an ended run may go on",
    file: "src/run/transitions.ts",
    find: "TERMINAL.map((status) => [status, {}])",
    replace: 'TERMINAL.map((status) => [status, { "run.resumed": "running" }])',
    tests: ["src/run/transitions.test.ts"],
  },
  {
    name: "time may run backwards",
    file: "src/kernel/loop.ts",
    find: "Math.max(host.state.facts.at, host.ports.clock.now())",
    replace: "host.ports.clock.now()",
    tests: ["src/kernel/loop.test.ts"],
  },
  {
    name: "another host's events are overwritten",
    file: "src/kernel/loop.ts",
    find: "if (!(await commit(host))) return { lost: true };",
    replace: "await commit(host);",
    tests: ["src/kernel/loop.test.ts"],
  },
  {
    name: "secrets are stored",
    file: "src/kernel/loop.ts",
    find: "host.ports.redact(stamp(fact, at))",
    replace: "stamp(fact, at)",
    tests: ["src/kernel/loop.test.ts"],
  },
  {
    name: "a cancel does not end what is under way",
    file: "src/kernel/loop.ts",
    find: '  if (state.status === "running" && state.stopping !== null) halt.end("stop");\n',
    replace: "",
    tests: ["src/kernel/loop.test.ts"],
  },
  {
    name: "what a dead host left running is not ended",
    file: "src/kernel/recover.ts",
    find: "  await ports.executor.reap(effectKey(run, stage, visit));\n",
    replace: "",
    tests: ["src/kernel/loop.test.ts"],
  },
  {
    name: "the chain does not cover the event before",
    file: "src/run/record/chain.ts",
    find: "`${previous}\\n${body}`",
    replace: "`${body}`",
    tests: ["test/contract/stores.test.ts", "src/run"],
  },
  {
    name: "a cycle without a cap compiles",
    file: "src/plan/compile.ts",
    find: "  problems.push(...unboundedCycles(blueprint, kept, limits));\n",
    replace: "",
    tests: ["src/plan"],
  },
  {
    name: "a retry goes on with what the failed attempt left",
    file: "src/run/lanes.ts",
    find: "  else if (failAttempt(facts, lane, kept, at)) return state;\n",
    replace:
      "  else if (failAttempt(facts, lane, kept, at)) {\n    Object.assign(lane, { tree: kept.tree ?? lane.tree });\n    return state;\n  }\n",
    tests: LAWS,
  },
  {
    name: "what a stage left is forgotten",
    file: "src/run/lanes.ts",
    find: "  facts.tree = kept.tree ?? facts.tree;\n",
    replace: "",
    tests: LAWS,
  },
  {
    name: "what an attempt that was cut off had done is not saved",
    file: "src/kernel/recover.ts",
    find: "place === null ? null : await ports.workspaces.salvage(place, label)",
    replace: "place === null ? null : tree",
    tests: LAWS,
  },
  {
    name: "what a person calls done is taken without what was left",
    file: "src/run/evolve.ts",
    find: "      lane.leftTree = event.tree ?? null;\n",
    replace: "",
    tests: ["src/run/evolve.test.ts"],
  },
  {
    name: "a process starts without the tree that its run needs",
    file: "src/kernel/perform.ts",
    find: "if (place === null && needsTree(plan))",
    replace: "if (place === null && plan.workspace === null)",
    tests: ["src/kernel/perform.test.ts"],
  },
  {
    name: "an approval is good for another tree",
    file: "src/run/effect/effect.ts",
    find: "canonical({ plan, run: origin, tree, stage, visit, request: effect })",
    replace: "canonical({ plan, run: origin, stage, visit, request: effect })",
    tests: ["src/kernel/authorize.test.ts"],
  },
  {
    name: "the project folder itself may be written to",
    file: "src/plan/checks.ts",
    find: '  if (of.workspace.kind === "directory" && writes)',
    replace: '  if (of.workspace.kind === "worktree" && writes)',
    tests: ["src/plan"],
  },
];
