/** Guards of the kill switch and of breakers. */
import type { Mutant } from "./mutant.ts";

const BREAKER = ["src/limits/breaker/breaker.test.ts"];
const KILL = ["src/kernel/control/kill.test.ts"];
const ENGINES = ["test/contract/engines.test.ts"];
const STORES = ["test/contract/stores.test.ts"];
const SWITCHES = ["test/contract/kill-switches.test.ts"];
const REAPERS = ["test/contract/reapers.test.ts"];

export const STOP_MUTANTS: readonly Mutant[] = [
  {
    name: "a breaker never opens",
    file: "src/limits/breaker/breaker.ts",
    find: "failures < rules.failures ?",
    replace: "failures >= 0 ?",
    tests: BREAKER,
  },
  {
    name: "a half open breaker admits everybody",
    file: "src/limits/breaker/breaker.ts",
    find: "if (trial !== null && ask.at < trial.until && !isGone(trial.host))",
    replace: "if (trial !== null && ask.at < trial.from && !isGone(trial.host))",
    tests: BREAKER,
  },
  {
    name: "a trial whose process is gone is waited for",
    file: "src/limits/breaker/breaker.ts",
    find: " && !isGone(trial.host))",
    replace: " && (!isGone(trial.host) || true))",
    tests: BREAKER,
  },
  {
    name: "a cancel counts as a failure of the target",
    file: "src/limits/breaker/breaker.ts",
    find: 'if (breaker.open !== null || end === "ignored") return breaker;',
    replace: "if (breaker.open !== null) return breaker;",
    tests: BREAKER,
  },
  {
    name: "a trial that says nothing is not given back",
    file: "src/limits/breaker/breaker.ts",
    find: 'if (end === "ignored") return { ...breaker, trial: null };',
    replace: 'if (end === "ignored") return breaker;',
    tests: BREAKER,
  },
  {
    name: "an old ticket is believed",
    file: "src/limits/breaker/breaker.ts",
    find: "if (epoch !== breaker.epoch) return breaker;",
    replace: "if (epoch > breaker.epoch) return breaker;",
    tests: BREAKER,
  },
  {
    name: "a clock that was put back keeps a breaker open",
    file: "src/limits/breaker/breaker.ts",
    find: "if (at >= Math.max(open?.from ?? at, trial?.from ?? at, line?.from ?? at)) return breaker;",
    replace: "if (at >= 0) return breaker;",
    tests: BREAKER,
  },
  {
    name: "after a park everybody comes at once",
    file: "src/limits/breaker/breaker.ts",
    find: "const line = parked ?",
    replace: "const line = !parked ?",
    tests: BREAKER,
  },
  {
    name: "a trial is decided without the store",
    file: "src/adapters/sqlite/limits/breakers.ts",
    find: "return decided.breaker === before ? decided.admission : null;",
    replace: "return decided.admission;",
    tests: STORES,
  },
  {
    name: "an action that talks to another machine has no breaker",
    file: "src/kernel/effect/action.ts",
    find: "action.remote === true ? await passFor(",
    replace: "action.remote !== true ? await passFor(",
    tests: KILL,
  },
  {
    name: "a child run has no breaker",
    file: "src/kernel/perform.ts",
    find: "  const pass = await passFor(ports, `loop:${child.name}`, flight.run, halt);",
    replace: "  const pass = { ...FREE, over: async (_end: unknown) => undefined };",
    tests: KILL,
  },
  {
    name: "an open breaker is tried again and again by the same stage",
    file: "src/run/lanes.ts",
    find: '"circuit_open", "budget", "auth", "denied"',
    replace: '"budget", "auth", "denied"',
    tests: KILL,
  },
  {
    name: "the loop does not look at the kill switch",
    file: "src/kernel/control/heed.ts",
    find: "pulled === null ? requests : [",
    replace: "pulled !== undefined ? requests : [",
    tests: KILL,
  },
  {
    name: "no look at the kill switch right before an effect",
    file: "src/kernel/control/heed.ts",
    find: 'if (killSwitch.pulled(run) !== null) halt.end("kill");',
    replace: "killSwitch.pulled(run);",
    tests: KILL,
  },
  {
    name: "a process begins although the switch was pulled while its folder was made",
    file: "src/kernel/process.ts",
    find: "  isOver(run, ports.killSwitch, halt);\n",
    replace: "",
    tests: KILL,
  },
  {
    name: "a kill gives processes time",
    file: "src/adapters/process/supervise.ts",
    find: 'isSudden: signal.reason === "kill"',
    replace: "isSudden: false",
    tests: ["test/contract/effects.test.ts"],
  },
  {
    name: "a kill leaves an action behind",
    file: "src/kernel/effect/action.ts",
    find: '  if (call.ended === null && call.halt.reason() === "kill") await work;\n',
    replace: "",
    tests: KILL,
  },
  {
    name: "a run begins although the switch is on",
    file: "src/engines/embedded/engine.ts",
    find: "      requireReleased(hosting, run.run);\n",
    replace: "",
    tests: ENGINES,
  },
  {
    name: "a run goes on although the switch is on",
    file: "src/engines/embedded/answers.ts",
    find: "  requireReleased(hosting, run);\n",
    replace: "",
    tests: ENGINES,
  },
  {
    name: "a child is cancelled, and not killed, with its parent",
    file: "src/engines/embedded/children.ts",
    find: 'signal.reason === "kill" ? killRequest({ by, why: "" }) : { kind: "cancel", by }',
    replace: '{ kind: "cancel", by }',
    tests: ENGINES,
  },
  {
    name: "a host under way does not hear of a kill",
    file: "src/engines/embedded/hosting.ts",
    find: "(pulled) => inbox.ask(killRequest(pulled))",
    replace: "() => undefined",
    tests: ENGINES,
  },
  {
    name: "an empty flag file is no flag",
    file: "src/adapters/files/kill-switch.ts",
    find: "names.includes(ALL) ? readFlag(stateDir, ALL) : foreign",
    replace:
      'names.includes(ALL) && jsonIn(join(stateDir, ALL))["by"] !== undefined ? readFlag(stateDir, ALL) : foreign',
    tests: SWITCHES,
  },
  {
    name: "a flag that cannot be looked for is off",
    file: "src/adapters/files/kill-switch.ts",
    find: "    throw unreadable(folder, error);",
    replace: "    return [];",
    tests: SWITCHES,
  },
  {
    name: "STATE.md is not read",
    file: "src/adapters/files/kill-switch.ts",
    find: "  const foreign = stateFlag();",
    replace: "  const foreign = stateFlag() && null;",
    tests: SWITCHES,
  },
  {
    name: "a comment in STATE.md pulls the switch",
    file: "src/limits/kill/pauses-all.ts",
    find: "return { text: open ? text : text + rest, isOpen: open };",
    replace: "return { text: text + rest, isOpen: open };",
    tests: ["src/limits/kill/pauses-all.test.ts"],
  },
  {
    name: "any process with the id of a host is ended",
    file: "src/adapters/process/kill/reaper.ts",
    find: "locks.some((folder) => path.startsWith(folder))",
    replace: "path !== dir",
    tests: REAPERS,
  },
  {
    name: "processes of other runs are ended",
    file: "src/adapters/process/kill/reaper.ts",
    find: "return run !== undefined && runs.has(run as RunId);",
    replace: "return run !== undefined && runs.size > 0;",
    tests: REAPERS,
  },
];
