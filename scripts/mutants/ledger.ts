/** Guards of the ledger: no more is spent than the caps, whoever asks, whatever is lost. */
import type { Mutant } from "./mutant.ts";

const LAW = ["src/limits/ledger"];
const TRIALS = ["test/simulation/ledger.test.ts"];
const CONTRACT = ["test/contract/stores.test.ts"];
const KERNEL = ["src/kernel/pay/fund.test.ts"];
const JUDGE = "src/limits/ledger/judge.ts";
const LINE = "src/limits/ledger/line.ts";

export const LEDGER_MUTANTS: readonly Mutant[] = [
  {
    name: "what others hold is not counted",
    file: JUDGE,
    find: "return spent + reserved + asked + (asked",
    replace: "return spent + asked + (asked",
    tests: TRIALS,
  },
  {
    name: "what was settled is not counted",
    file: JUDGE,
    find: "return spent + reserved + asked + (asked",
    replace: "return reserved + asked + (asked",
    tests: TRIALS,
  },
  {
    name: "a large request is overtaken for ever",
    file: JUDGE,
    find: "claiming.reduce((sum, waiter) => sum + claimOf(waiter, cap, spent), 0)",
    replace: "0",
    tests: CONTRACT,
  },
  {
    name: "what is larger than a cap waits for ever",
    file: JUDGE,
    find: "if (asked > amount) return null;",
    replace: "if (asked < 0) return null;",
    tests: LAW,
  },
  {
    name: "an overdrawn cap lets others through",
    file: JUDGE,
    find: "    if (!fits(cap, seen))",
    replace: "    if (seen.asked > 0 && !fits(cap, seen))",
    tests: LAW,
  },
  {
    name: "nothing is said at 80 %",
    file: JUDGE,
    find: "const DEGRADED_PERCENT = 80;",
    replace: "const DEGRADED_PERCENT = 101;",
    tests: [...LAW, ...CONTRACT],
  },
  {
    name: "waiting makes nobody stand earlier",
    file: LINE,
    find: "return since - priority * POINT_MS;",
    replace: "return 0 - priority * POINT_MS;",
    tests: LAW,
  },
  {
    name: "who has left stands in the way",
    file: LINE,
    find: " && other.until > at",
    replace: "",
    tests: LAW,
  },
  {
    name: "a quarter leaves the week before all of it is out",
    file: "src/limits/ledger/windows.ts",
    find: "dayStart(at, offsetMinutes) : at - WEEK_MS)",
    replace: "dayStart(at, offsetMinutes) : at + QUARTER_MS - WEEK_MS)",
    tests: [...LAW, ...TRIALS],
  },
  {
    name: "an unknown price costs nothing",
    file: "src/limits/ledger/charge.ts",
    find: 'if (actual === "unknown") return asked;',
    replace: 'if (actual === "unknown") return {};',
    tests: LAW,
  },
  {
    name: "a price that is missing costs nothing",
    file: "src/limits/ledger/charge.ts",
    find: "const amount = actual[unit] ?? asked[unit];",
    replace: "const amount = actual[unit];",
    tests: LAW,
  },
  {
    name: "a reservation is judged outside its transaction",
    file: "src/adapters/sqlite/ledger/ledger.ts",
    find: "        return () => reserve(kept, asking);",
    replace:
      "        const { answer } = judge(kept.books, asking);\n        return () => (answer.granted ? reserve(kept, { ...asking, caps: [] }) : answer);",
    tests: CONTRACT,
  },
  {
    name: "a key that was settled may spend again",
    file: "src/adapters/sqlite/ledger/ledger.ts",
    find: "if (known.settled !== null && outright !== true) throw",
    replace: "if (known.settled !== null && outright === null) throw",
    tests: CONTRACT,
  },
  {
    name: "a key is settled twice",
    file: "src/adapters/sqlite/ledger/entries.ts",
    find: "entry === undefined || entry.settled !== null ? null",
    replace: "entry === undefined ? null",
    tests: CONTRACT,
  },
  {
    name: "books that were changed are believed",
    file: "src/adapters/sqlite/store.ts",
    find: "found.length === 0 ? problems() : found",
    replace: "found",
    tests: CONTRACT,
  },
  {
    name: "an attempt begins although its budget was refused",
    file: "src/kernel/pay/fund.ts",
    find: "  if (!answer.granted) return { fact: refusal(purse, flight, answer) };",
    replace: "  if (!answer.granted) return perform(plan, flight, ports, halt);",
    tests: KERNEL,
  },
  {
    name: "a run goes on above L1 when most of a cap is spent",
    file: "src/run/decide.ts",
    find: "if (facts.degraded && isAboveReport(plan, to))",
    replace: "if (facts.degraded && to === null)",
    tests: KERNEL,
  },
  {
    name: "a run goes on after an attempt that cost more than it said",
    file: "src/run/limits.ts",
    find: "if (facts.overspent !== null) return",
    replace: "if (facts.overspent === plan.name) return",
    tests: KERNEL,
  },
  {
    name: "a lost attempt has spent nothing",
    file: "src/kernel/recover.ts",
    find: 'attemptKey({ run, stage, visit, attempt }), "unknown",',
    replace: "attemptKey({ run, stage, visit, attempt }), { tokens: 0, microUsd: 0 },",
    tests: KERNEL,
  },
  {
    name: "a loop escapes its caps into child runs",
    file: "src/engines/embedded/purses.ts",
    find: "...(await lineageOf(runs, parent))];",
    replace: "...(await lineageOf(runs, null))];",
    tests: ["test/contract/budgets.test.ts"],
  },
  {
    name: "a reservation is told before it is synced",
    file: "src/adapters/sqlite/group-commit.ts",
    find: "    else syncLater(batch);\n",
    replace: "    else settleAll(batch);\n",
    tests: ["test/integration/power-cut.test.ts"],
  },
  {
    name: "what is settled with others is not in its quarter for who asks after it",
    file: "src/adapters/sqlite/ledger/draft.ts",
    find: "page.more !== null && page.more.quarters.size > 0",
    replace: "page.more !== null && page.more.spent < 0",
    tests: CONTRACT,
  },
  {
    name: "who leaves the line stands in the way of those who ask with it",
    file: "src/adapters/sqlite/ledger/draft.ts",
    find: "      books.dropWaiter(who);\n      known = null;\n",
    replace: "      books.dropWaiter(who);\n",
    tests: CONTRACT,
  },
  {
    name: "books of the last transaction are believed in the next",
    file: "src/adapters/sqlite/ledger/draft.ts",
    find: "      pages.write();\n      forget();\n",
    replace: "      pages.write();\n",
    tests: CONTRACT,
  },
  {
    name: "what was rolled back is in the books",
    file: "src/adapters/sqlite/store.ts",
    find: "for (const each of unwritten) each.drop();",
    replace: "rows.drop();",
    tests: CONTRACT,
  },
  {
    name: "an amount whose sums are not exact is booked",
    file: "src/limits/ledger/cap.ts",
    find: " && amount <= MOST_AMOUNT",
    replace: "",
    tests: CONTRACT,
  },
  {
    name: "a write that finds the file taken is not asked for again",
    file: "src/adapters/sqlite/group-commit.ts",
    find: "isBusy ? queue.putBack(batch) : batch",
    replace: "batch",
    tests: ["test/integration/store-failures.test.ts"],
  },
];
