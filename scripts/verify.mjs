/**
 * Everything a change must pass, in the order of cost: one line per step, stop at the first red with the command that helps.
 * `--skip-tests` leaves out the tests, for a caller that has just run them.
 */
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "./lock.mjs";
import { setup } from "./setup.mjs";

const STEPS = [
  { name: "format", run: ["biome", "check", "--linter-enabled=false", "."], fix: "npm run format" },
  {
    name: "lint",
    run: ["biome", "lint", "--error-on-warnings", "."],
    fix: "npm run lint:fix, then correct the rest by hand",
  },
  { name: "types", run: ["tsc", "-p", "tsconfig.json"], fix: "correct the types: npm run typecheck" },
  {
    name: "layers",
    run: ["depcruise", "src", "test", "--config", ".dependency-cruiser.mjs"],
    fix: "each rule above says where the code belongs",
  },
  { name: "unused", run: ["knip"], fix: "delete what is not used, or use it" },
  { name: "docs", run: ["tsx", "scripts/generate-docs.ts", "--check"], fix: "npm run docs, and commit docs/reference" },
  {
    name: "tests",
    run: ["vitest", "run", "--coverage"],
    fix: "npm test -- <file>; for coverage open coverage/index.html",
    loud: true,
  },
  {
    name: "laws",
    run: ["tsx", "scripts/mutate-laws.ts", "--some"],
    fix: "a law has no test that fails without its guard: write the test",
  },
];

function runStep(step) {
  const env = { ...process.env, PATH: `${join(root, "node_modules", ".bin")}${delimiter}${process.env.PATH ?? ""}` };
  const [command, ...args] = step.run;
  const stdio = step.loud ? "inherit" : ["ignore", "pipe", "pipe"];
  const options = {
    cwd: root,
    env,
    stdio,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  };
  const began = Date.now();
  const result = spawnSync(command, args, options);
  return { ok: result.status === 0, seconds: (Date.now() - began) / 1000, result };
}

async function verify(skipped) {
  await setup();
  for (const step of STEPS) {
    if (skipped.has(step.name)) {
      console.log(`skip  ${step.name}`);
      continue;
    }
    const { ok, seconds, result } = runStep(step);
    console.log(`${ok ? "ok   " : "RED  "} ${step.name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s`);
    if (ok) continue;
    process.stdout.write(
      `${result.stdout ?? ""}${result.stderr ?? ""}${result.error === undefined ? "" : `${result.error.message}\n`}`,
    );
    console.error(`\nverify stopped at "${step.name}" (${step.run.join(" ")}).\nTo go on: ${step.fix}.`);
    return false;
  }
  console.log("verify: everything is green");
  return true;
}

const skipped = new Set(process.argv.includes("--skip-tests") ? ["tests"] : []);
if (!(await verify(skipped))) process.exitCode = 1;
