/** Test projects by folder. `PAWL_FULL=1` (npm run test:full) asks the long suites for their full length. */
import { defineConfig } from "vitest/config";

const full = process.env["PAWL_FULL"] === "1";
const minutes = (count: number): number => count * 60_000;

/** Suites that share one module graph per worker: quick, and no test may leave anything behind. */
function inThreads(name: string, include: string, timeoutMs: number) {
  return {
    extends: true as const,
    test: { name, include: [include], pool: "threads" as const, isolate: false, testTimeout: timeoutMs },
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
      testTimeout: timeoutMs,
      hookTimeout: minutes(2),
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: 3,
    hookTimeout: 30_000,
    projects: [
      inThreads("unit", "src/**/*.test.ts", 15_000),
      inThreads("contract", "test/contract/**/*.test.ts", 30_000),
      inThreads("simulation", "test/simulation/**/*.test.ts", full ? minutes(60) : minutes(4)),
      inThreads("golden", "test/golden/**/*.test.ts", 30_000),
      inForks("integration", full ? minutes(60) : minutes(4), true),
      inForks("e2e", full ? minutes(60) : minutes(4), true),
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
