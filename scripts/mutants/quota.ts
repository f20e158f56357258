/** Guards of quotas: a refusal is no failure, a time is not guessed, and what rests is woken in turn. */
import type { Mutant } from "./mutant.ts";

const PARK = ["src/run/rest/park.test.ts"];
const READ = ["src/limits/quota/read-quota.test.ts"];
const KERNEL = ["src/kernel/quota.test.ts"];
const WAKE = ["src/engines/embedded/waking.test.ts"];

export const QUOTA_MUTANTS: readonly Mutant[] = [
  {
    name: "a refusal for now counts as a stage of the run",
    file: "src/run/rest/park.ts",
    find: '  facts.started -= 1;\n  lane.status = "parked";',
    replace: '  lane.status = "parked";',
    tests: PARK,
  },
  {
    name: "a stage may be refused for ever",
    file: "src/run/rest/park.ts",
    find: "if (lane.parks > MOST_PARKS)",
    replace: "if (lane.parks > Number.POSITIVE_INFINITY)",
    tests: PARK,
  },
  {
    name: "a time that is over is believed",
    file: "src/run/rest/park.ts",
    find: "if (until === null || until <= at) return at + grown;",
    replace: "if (until === null) return at + grown;",
    tests: PARK,
  },
  {
    name: "a time that proved wrong is believed again",
    file: "src/run/rest/park.ts",
    find: "parks === 1 ? until : Math.max(until, at + grown / 2)",
    replace: "until",
    tests: PARK,
  },
  {
    name: "a run that rests goes on before its time",
    file: "src/run/approval/answer.ts",
    find: "  if (until !== null) throw",
    replace: "  if (until === -1) throw",
    tests: PARK,
  },
  {
    name: "a parked stage keeps its host waiting",
    file: "src/run/decide.ts",
    find: 'ready.every(({ status }) => status === "parked")',
    replace: "ready.length === 0",
    tests: PARK,
  },
  {
    name: "a program that ran out of credit is waited for",
    file: "src/kernel/quota.ts",
    find: 'if (quota === null || quota.kind === "credit") return null;',
    replace: "if (quota === null) return null;",
    tests: KERNEL,
  },
  {
    name: "a program that was ended is tried again because of what it said",
    file: "src/kernel/quota.ts",
    find: 'cause !== "exit") return null;',
    replace: 'cause === "ok") return null;',
    tests: KERNEL,
  },
  {
    name: "an instant that is over is read from a sentence",
    file: "src/limits/quota/phrases.ts",
    find: "until > here.at && until <= latest",
    replace: "until <= latest",
    tests: READ,
  },
  {
    name: "an instant that is over is read from a header",
    file: "src/limits/quota/headers.ts",
    find: "until > at && until <= at + LONGEST_MS",
    replace: "until <= at + LONGEST_MS",
    tests: READ,
  },
  {
    name: "a time in years to come is believed",
    file: "src/limits/quota/phrases.ts",
    find: " && until <= latest",
    replace: "",
    tests: READ,
  },
  {
    name: "of two instants of a wall time the earlier is taken",
    file: "src/limits/quota/zone.ts",
    find: "return Math.max(",
    replace: "return Math.min(",
    tests: READ,
  },
  {
    name: "a wall time that is over is that of today",
    file: "src/limits/quota/moments.ts",
    find: "return today > at ? today : instantOf(zone, plusDays(wall, 1));",
    replace: "return today;",
    tests: READ,
  },
  {
    name: "the words of one vendor are those of another",
    file: "src/limits/quota/signals.ts",
    find: 'vendor === "any" || each.vendor === vendor',
    replace: "vendor.length > 0",
    tests: READ,
  },
  {
    name: "what is left of an allowance counts as used up",
    file: "src/limits/quota/headers.ts",
    find: "&& Number(remaining) < 1",
    replace: "&& Number(remaining) >= 0",
    tests: READ,
  },
  {
    name: "every run that was refused tries again at once",
    file: "src/engines/embedded/waking.ts",
    find: "if (turns === null || target === null) return",
    replace: "if (turns === null || target !== null) return",
    tests: WAKE,
  },
  {
    name: "nobody hears that a target refuses",
    file: "src/engines/embedded/hosting.ts",
    find: "  await turns.park(state.target, state.until, state.reason, ports.clock.now());\n",
    replace: "",
    tests: WAKE,
  },
  {
    name: "a trial is over before it got through",
    file: "src/engines/embedded/waking.ts",
    find: 'if (type === "stage.finished") return "success";',
    replace: 'if (type === "run.resumed") return "success";',
    tests: WAKE,
  },
  {
    name: "a clock that was put back makes the wait longer",
    file: "src/engines/embedded/waking.ts",
    find: "while (leftMs > 0 && clock.now() < until)",
    replace: "while (clock.now() < until)",
    tests: WAKE,
  },
  {
    name: "a machine that slept wakes nobody",
    file: "src/engines/embedded/waking.ts",
    find: "until - clock.now(), LOOK_MS)",
    replace: "until - clock.now())",
    tests: WAKE,
  },
  {
    name: "a header that names a time beyond reason is believed",
    file: "src/limits/quota/headers.ts",
    find: "until > at && until <= at + LONGEST_MS",
    replace: "until > at",
    tests: ["src/limits/quota"],
  },
];
