/** Test projects by folder. `PAWL_FULL=1` (npm run test:full) asks the long suites for their full length. */
import { randomInt } from "node:crypto";
import { defineConfig } from "vitest/config";

const full = process.env["PAWL_FULL"] === "1";
/** The same in every `npm test`; a new one for each full run, so that full runs look at new cases. */
const given = process.env["PAWL_SEED"];
const seed = given ?? (full ? String(randomInt(1, 1_000_000_000)) : "1");
/** More cases need more time. */
const times = Math.max(1, Number(process.env["PAWL_CASES"] ?? 1));
const minutes = (count: number): number => count * 60_000;

// Timeouts only end a test that hangs: they are far above what any test needs, because a busy machine is no defect.

/** Suites that share one module graph per worker: quick, and no test may leave anything behind. */
function inThreads(name: string, include: string, timeoutMs: number) {
  return {
    extends: true as const,
    test: { name, include: [include], pool: "threads" as const, isolate: false, testTimeout: timeoutMs * times },
  };
}

/** Suites that start real processes. Those that start the built command line have `dist/` built once before. */
function inForks(name: string, timeoutMs: number, needsBuild: boolean) {
  return {
    extends: true as const,
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      pool: "forks" as const,
      globalSetup: needsBuild ? ["scripts/build.mjs"] : [],
      testTimeout: timeoutMs * times,
      hookTimeout: minutes(2),
    },
  };
}

// This file is read once for each project, and all of them must have the seed that is printed.
process.env["PAWL_SEED"] = seed;
if (full && given === undefined) {
  process.stdout.write(`Random cases begin at seed ${seed}. Repeat them with PAWL_SEED=${seed}.\n`);
}

export default defineConfig({
  test: {
    env: { PAWL_SEED: seed },
    expect: { poll: { timeout: minutes(2) } },
    maxWorkers: 3,
    hookTimeout: minutes(2),
    projects: [
      inThreads("unit", "src/**/*.test.ts", minutes(2)),
      inThreads("contract", "test/contract/**/*.test.ts", minutes(2)),
      inThreads("simulation", "test/simulation/**/*.test.ts", minutes(60)),
      inThreads("golden", "test/golden/**/*.test.ts", minutes(2)),
      inForks("integration", minutes(60), true),
      inForks("e2e", minutes(60), true),
      inForks("architecture", minutes(2), false),
    ],
    coverage: {
      provider: "v8",
      include: ["src/{base,limits,policy,blueprint,plan,gates,run,kernel,loops}/**/*.ts"],
      exclude: ["**/*.test.ts"],
      reporter: ["text-summary", "json-summary", "html"],
      reportsDirectory: "coverage",
      reportOnFailure: true,
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
});
