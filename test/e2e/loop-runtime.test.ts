/** The library of loop-runtime by its name here, as a program of somebody else uses it: built, compiled, in a process of its own. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");

/** As its document has it, but for the name of the package. */
const SNIPPET = `import { LoopEngine, buildPlan, BudgetBreaker, MemoryStateWriter, MockBackend } from 'loop-runtime';

const plan = buildPlan(pattern, { level: 'L2' });
const engine = new LoopEngine(plan, {
  backend: new MockBackend(),           // swap for the Claude Code backend
  state: new MemoryStateWriter(),
  budget: new BudgetBreaker(plan.dailyTokenCap),
});
const result = await engine.tick();     // structured, loggable TickResult
`.replace("'loop-runtime'", "'pawl/loop-runtime'");

const PATTERN = `import { readPattern } from 'pawl/loop-runtime';
const pattern = readPattern('daily-triage');
`;

/** What a program prints that was compiled strictly, and runs where the name of the package leads to what was built. */
function printed(program: string): string {
  const folder = mkdtempSync(join(ROOT, "dist", ".loop-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "program.ts"), program);
  const strict = "--ignoreConfig --strict --module nodenext --target es2023 --skipLibCheck --types node";
  const args = [TSC, ...strict.split(" "), "--rootDir", ".", "--outDir", ".", "program.ts"];
  const compiled = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect(compiled.stdout).toBe("");
  const env = { PATH: process.env["PATH"] };
  const ran = spawnSync(process.execPath, ["program.js"], { cwd: folder, env, encoding: "utf8" });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  expect(readdirSync(folder).sort()).toEqual(["program.js", "program.ts"]);
  return ran.stdout;
}

test("I4: the program of loop-runtime's document compiles and runs with only the name of the package changed", () => {
  const told = printed(`${PATTERN}${SNIPPET}console.log(JSON.stringify({ plan, result }));`);
  expect(JSON.parse(told)).toMatchObject({
    plan: { pattern: "daily-triage", level: "L2", cadence: "1d-2h", dailyTokenCap: 100_000 },
    result: {
      decision: "act",
      verdict: "accept",
      tokens: 5000,
      details: [
        "triage decision: act",
        "proposed change touching src/example.ts",
        "verifier verdict: accept",
        "committed: safe + allowlisted",
      ],
      status: "succeeded",
    },
  });
});

test("I4: the program of our guide prints what it says", () => {
  const guide = readFileSync(join(ROOT, "docs", "guides", "loop-engineering.md"), "utf8");
  const [program = ""] = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((block) => block[1] ?? "");
  expect(printed(program)).toBe("act accept 5000\n");
});

test("I4: ticks share a state and a budget: attempts at an item add up, what is left bounds a tick, and a spent day halts", () => {
  const program = `${PATTERN}
import { BudgetBreaker, LoopEngine, MemoryStateWriter, MockBackend, buildPlan } from 'pawl/loop-runtime';
const plan = buildPlan(pattern, { level: 'L2' });
const state = new MemoryStateWriter({ 'STATE.md': '## Mine\\nkept\\n' });
const budget = new BudgetBreaker(17_000);
const told = async (backend: MockBackend) => {
  const { decision, verdict, details, status } = await new LoopEngine(plan, { backend, state, budget }).tick();
  return [decision, verdict, details.at(-1), status, budget.spent];
};
const rejecting = new MockBackend({ verdict: 'reject' });
const ticks = [await told(rejecting), await told(rejecting), await told(rejecting), await told(rejecting)];
budget.charge(2000);
ticks.push(await told(new MockBackend({ decision: 'noop' })));
budget.kill();
ticks.push(await told(new MockBackend()));
console.log(JSON.stringify({ ticks, files: state.files, kinds: [state instanceof MemoryStateWriter, budget.isOpen] }));
`;
  const { ticks, files, kinds } = JSON.parse(printed(program)) as {
    readonly ticks: unknown;
    readonly files: Readonly<Record<string, string>>;
    readonly kinds: unknown;
  };
  expect(ticks).toEqual([
    ["act", "reject", "discarded: nothing is kept", "failed", 5000],
    ["act", "reject", "discarded: nothing is kept", "failed", 10_000],
    ["act", "reject", "discarded: nothing is kept", "blocked", 15_000],
    ["halted", null, expect.stringMatching(/^halted: the cap is 2,000 tokens/), "rejected", 15_000],
    ["halted", null, "halted: budget: 17,000 of 17,000 tokens spent today", "succeeded", 17_000],
    ["halted", null, "halted: kill switch: the budget breaker was opened by hand", "succeeded", 17_000],
  ]);
  expect(kinds).toEqual([true, true]);
  expect(files["STATE.md"]).toMatch(/## Mine\nkept\n[\s\S]*Attempts: 3\/3/);
  const log = String(files["loop-run-log.md"])
    .split("\n")
    .filter((line) => line.startsWith("{"));
  expect(log.map((line) => (JSON.parse(line) as { outcome: string }).outcome)).toEqual([
    ...["report-only", "report-only", "escalated", "no-op", "no-op", "no-op"],
  ]);
});

test("I4: what the package says of its entries is there, and the entry is no part of what every start reads", () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
  };
  const { types = "", default: code = "" } = exports["./loop-runtime"] ?? {};
  expect(readFileSync(join(ROOT, types), "utf8")).toContain("LoopEngine");
  expect(readFileSync(join(ROOT, code), "utf8")).toContain("LoopEngine");
  for (const name of readdirSync(join(ROOT, "dist", "parts")).filter((each) => /^(?:front|core)-.*\.js$/.test(each)))
    expect(readFileSync(join(ROOT, "dist", "parts", name), "utf8")).not.toContain("LoopEngine");
});
