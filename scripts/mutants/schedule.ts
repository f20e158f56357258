/** Guards of schedules: no slot twice, none lost, no two runs of a loop, no late effect, no delivery that is not signed. */
import type { Mutant } from "./mutant.ts";

const PURE = ["src/loops/schedule"];
const STORES = ["test/contract/loop-stores.test.ts"];
const LIFE = ["test/simulation/schedule.test.ts"];
const FENCE = ["src/runtime/serve/jobs/fence.test.ts"];
const SIGNED = ["src/runtime/serve/triggers/signature.test.ts"];
const SERVED = ["src/runtime/serve/served-loop.test.ts"];
const RELOAD = ["src/runtime/serve/triggers/reload.test.ts"];
const DOCTOR = ["src/runtime/serve/next-time.test.ts"];
const SLOTS = "src/adapters/sqlite/loops/slots.ts";
const DUE = "src/loops/schedule/due.ts";
const SIGNATURE = "src/runtime/serve/triggers/signature.ts";

export const SCHEDULE_MUTANTS: readonly Mutant[] = [
  {
    name: "a run that another process kept from beginning is over",
    file: "src/runtime/serve/jobs/worker.ts",
    find: 'retry === "safe") ? PUT_OFF_MS : null',
    replace: 'retry === "safe") ? null : null',
    tests: ["src/runtime/serve/jobs/worker.test.ts"],
  },
  {
    name: "who never finishes a delivery keeps others out",
    file: "src/runtime/serve/triggers/hooks.ts",
    find: "    oldest?.destroy();",
    replace: "    if (oldest !== undefined) socket.destroy();",
    tests: ["src/runtime/serve/triggers/reload.test.ts"],
  },
  {
    name: "a time that clocks show twice fires twice",
    file: "src/loops/schedule/cron-times.ts",
    find: "return before <= zone(at) ? wall :",
    replace: "return before !== Number.NaN ? wall :",
    tests: PURE,
  },
  {
    name: "every loop keeps times of its own",
    file: "src/runtime/serve/served-loop.ts",
    find: "    triggers.set(text, made);\n",
    replace: "",
    tests: SERVED,
  },
  {
    name: "a zone is made for each who names it",
    file: "src/limits/quota/zone.ts",
    find: "  if (zone !== null) NAMED.set(key, zone);\n",
    replace: "",
    tests: PURE,
  },
  {
    name: "the next time of a cron line is found anew for each loop",
    file: "src/loops/schedule/times.ts",
    find: "if (time < known.from || time >= known.next) known =",
    replace: "known =",
    tests: PURE,
  },
  {
    name: "a time before the one that was asked for last is answered with what follows that",
    file: "src/loops/schedule/times.ts",
    find: "time < known.from || time >= known.next",
    replace: "time >= known.next",
    tests: PURE,
  },
  {
    name: "a webhook that is new in pawl.yaml is never listened for",
    file: "src/runtime/serve/triggers/hooks.ts",
    find: "reload: open,",
    replace: "reload: async () => undefined,",
    tests: RELOAD,
  },
  {
    name: "what is new in pawl.yaml is never watched",
    file: "src/runtime/serve/triggers/watcher.ts",
    find: "reload: begin,",
    replace: "reload: async () => undefined,",
    tests: RELOAD,
  },
  {
    name: "doctor shows a time that passed as one to come",
    file: "src/runtime/serve/next-time.ts",
    find: "wakeOf(loop, standing.next) + LATE_MS < now",
    replace: "now < LATE_MS",
    tests: DOCTOR,
  },
  {
    name: "doctor shows the next time of a trigger that is no longer written",
    file: "src/runtime/serve/next-time.ts",
    find: " || standing.trigger !== trigger",
    replace: "",
    tests: DOCTOR,
  },
  {
    name: "a clock that was put back is not followed",
    file: DUE,
    find: "armedAt > now + SLACK_MS ? times.first(pacing.name, now) : next",
    replace: "armedAt > now + SLACK_MS ? next : next",
    tests: PURE,
  },
  {
    name: "a time that is owed is given up",
    file: DUE,
    find: 'if (pacing.catchUp === "all") return',
    replace: 'if (pacing.catchUp === "all" && now < next) return',
    tests: PURE,
  },
  {
    name: "what was missed runs although it is to be skipped",
    file: DUE,
    find: 'pacing.catchUp === "skip" && now - wakeOf(pacing, time) > HARDLY_LATE_MS',
    replace: 'pacing.catchUp === "skip" && now < wakeOf(pacing, time)',
    tests: PURE,
  },
  {
    name: "whoever is late fires the slot once more",
    file: SLOTS,
    find: 'if (row?.next !== was) return "moved";',
    replace: 'if (row === undefined) return "moved";',
    tests: STORES,
  },
  {
    name: "a loop runs beside itself",
    file: SLOTS,
    find: 'if (row.open !== null) return "busy";\n',
    replace: "",
    tests: STORES,
  },
  {
    name: "the end of another slot frees the loop",
    file: SLOTS,
    find: "SET open = NULL WHERE loop = ?1 AND open = ?2",
    replace: "SET open = NULL WHERE loop = ?1 AND ?2 <> ''",
    tests: STORES,
  },
  {
    name: "what a person asked for is given up for something newer",
    file: SLOTS,
    find: "const asked = found.find(({ slot }) => isAsked(slot));",
    replace: "const asked = found.find(({ slot }) => slot === loop);",
    tests: STORES,
  },
  {
    name: "a run that was asked for begins beside another of its loop",
    file: "src/runtime/serve/jobs/worker.ts",
    find: "if (open !== null && open.slot !== slotOf(job)) return",
    replace: "if (open !== null && open.slot === job.id) return",
    tests: ["test/integration/asked-runs.test.ts"],
  },
  {
    name: "one bad loop ends the schedule of all",
    file: "src/runtime/serve/scheduler.ts",
    find: "return { wake: parts.now() + TROUBLE_MS, fired: false };",
    replace: "throw error;",
    tests: LIFE,
  },
  {
    name: "a process that stood still goes on",
    file: "src/runtime/serve/jobs/fence.ts",
    find: "if (uptime() >= until)",
    replace: "if (uptime() < 0)",
    tests: FENCE,
  },
  {
    name: "a child run is not fenced",
    file: "src/runtime/serve/jobs/fence.ts",
    find: "held.get(run) ?? Math.min(...held.values())",
    replace: "held.get(run) ?? Number.POSITIVE_INFINITY",
    tests: FENCE,
  },
  {
    name: "a delivery without a signature is taken",
    file: SIGNATURE,
    find: "if (given.length !== expected.length || !timingSafeEqual(given, expected))",
    replace: "if (given.length === expected.length && !timingSafeEqual(given, expected))",
    tests: SIGNED,
  },
  {
    name: "an old delivery is taken again",
    file: SIGNATURE,
    find: "> LONGEST_AGE_MS",
    replace: "> LONGEST_AGE_MS * 1e9",
    tests: SIGNED,
  },
  {
    name: "a delivery that nobody wants any more is run",
    file: "src/runtime/serve/firing.ts",
    find: 'if (catchUp === "skip" && !isAsked(next.slot)) {',
    replace: "if (false) {",
    tests: ["src/runtime/serve/firing.test.ts"],
  },
  {
    name: "of deliveries that shall all be run only the newest is",
    file: "src/runtime/serve/firing.ts",
    find: 'catchUp === "all" ? "oldest" : "newest"',
    replace: '"newest"',
    tests: ["src/runtime/serve/firing.test.ts"],
  },
  {
    name: "a merge that is judged keeps runs from going on whose time has come",
    file: "src/runtime/serve/duties/keeper.ts",
    find: "tellFailed(await runtime.sweepApprovals());",
    replace: "tellFailed(await runtime.sweepApprovals());\n      await merge.work();",
    tests: ["src/runtime/serve/duties/keeper.test.ts"],
  },
  {
    name: "a process that works inside a transaction is ended",
    file: "src/runtime/serve/duties/unblocker.ts",
    find: "return `${pid} ${startTicks} ${workedTicks}`;",
    replace: "return `${pid} ${startTicks} ${workedTicks * 0}`;",
    tests: ["src/runtime/serve/duties/unblocker.test.ts"],
  },
  {
    name: "a process that stands still inside a transaction is ended before its lease is over",
    file: "src/runtime/serve/duties/unblocker.ts",
    find: "?? 0) >= leaseMs",
    replace: "?? 0) >= 0",
    tests: ["src/runtime/serve/duties/unblocker.test.ts"],
  },
];
