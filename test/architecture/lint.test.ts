/** The linter guards laws, so each rule that does is proved on a planted offence. */
import { afterAll, describe, expect, test } from "vitest";
import { plantedCopy, runForJson } from "./tree.ts";

interface LintReport {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: unknown } }[];
}

const long = (lines: number): string =>
  `${Array.from({ length: lines }, (_, index) => `export const n${index} = ${index};`).join("\n")}\n`;
const taking = (type: string): string => `export function planted(value: ${type}): void {\n  value();\n}\n`;
const longFunction = `export function planted(): number {\n${"  Math.abs(1);\n".repeat(61)}  return 1;\n}\n`;
const tangled = `export function planted(a: number): number {\n${"  if (a > 1) {\n    if (a > 2) {\n      if (a > 3) return a;\n    }\n  }\n".repeat(3)}  return 0;\n}\n`;

/** Planted file → text and the rule that must name it. */
const OFFENCES: readonly (readonly [kind: string, path: string, text: string, rule: string])[] = [
  [
    "a promise nobody awaits",
    "src/runtime/floating.ts",
    "async function work(): Promise<void> {}\nexport function planted(): void {\n  work();\n}\n",
    "lint/nursery/noFloatingPromises",
  ],
  [
    "a promise of a port nobody awaits",
    "src/engines/floating-port.ts",
    "interface Port {\n  close(): Promise<void>;\n}\nexport function planted(port: Port): void {\n  port.close();\n}\n",
    "lint/nursery/noFloatingPromises",
  ],
  [
    "a promise taken for a condition",
    "src/runtime/misused.ts",
    "async function work(): Promise<boolean> {\n  return true;\n}\nexport function planted(): number {\n  return work() ? 1 : 2;\n}\n",
    "lint/nursery/noMisusedPromises",
  ],
  [
    "time in the laws of a run",
    "src/run/date.ts",
    "export const planted = (): number => Date.now();\n",
    "lint/style/noRestrictedGlobals",
  ],
  [
    "a timer in the kernel",
    "src/kernel/timer.ts",
    "export function planted(): void {\n  setTimeout(() => undefined, 1);\n}\n",
    "lint/style/noRestrictedGlobals",
  ],
  [
    "the process in policy",
    "src/policy/process.ts",
    "export const planted = (): string => process.cwd();\n",
    "lint/style/noRestrictedGlobals",
  ],
  [
    "the network in blueprint",
    "src/blueprint/fetch.ts",
    'export const planted = (): Promise<Response> => fetch("http://localhost");\n',
    "lint/style/noRestrictedGlobals",
  ],
  [
    "ids made in base",
    "src/base/crypto.ts",
    "export const planted = (): string => crypto.randomUUID();\n",
    "lint/style/noRestrictedGlobals",
  ],
  ["randomness in plan", "src/plan/random.ts", "export const planted = (): number => Math.random();\n", "plugin"],
  [
    "randomness under another name",
    "src/kernel/random.ts",
    "const { floor } = Math;\nconst draw = Math.random;\nexport const planted = (): number => floor(draw());\n",
    "plugin",
  ],
  [
    "the environment outside configuration",
    "src/adapters/environment.ts",
    "export const planted = process.env;\n",
    "lint/style/noProcessEnv",
  ],
  ["text written past the output", "src/cli/console.ts", 'console.log("planted");\n', "lint/suspicious/noConsole"],
  ["any", "src/runtime/any.ts", taking("any"), "lint/suspicious/noExplicitAny"],
  ["a file of 401 lines", "src/runtime/long.ts", long(401), "lint/style/noExcessiveLinesPerFile"],
  ["a loop of 151 lines", "src/kernel/loop.ts", long(151), "lint/style/noExcessiveLinesPerFile"],
  ["a bin of 61 lines", "src/cli/main.ts", long(61), "lint/style/noExcessiveLinesPerFile"],
  [
    "a function of more than 60 lines",
    "src/runtime/long-function.ts",
    longFunction,
    "lint/complexity/noExcessiveLinesPerFunction",
  ],
  ["a tangle", "src/runtime/tangled.ts", tangled, "lint/complexity/noExcessiveCognitiveComplexity"],
  [
    "a name that is not kebab-case",
    "src/runtime/plantedName.ts",
    "export const planted = 1;\n",
    "lint/style/useFilenamingConvention",
  ],
  ["a barrel", "src/runtime/barrel.ts", 'export * from "./any.ts";\n', "lint/performance/noBarrelFile"],
  [
    "a test that is left out",
    "src/runtime/skipped.test.ts",
    'import { test } from "vitest";\ntest.skip("planted", () => undefined);\n',
    "lint/suspicious/noSkippedTests",
  ],
];

const CLEAN: readonly (readonly [kind: string, path: string, text: string])[] = [
  ["the environment in configuration", "src/runtime/config.ts", "export const planted = process.env;\n"],
  ["time in an adapter", "src/adapters/clock.ts", "export const planted = (): number => Date.now();\n"],
  [
    "a promise that is awaited",
    "src/runtime/awaited.ts",
    "async function work(): Promise<number> {\n  return 1;\n}\nexport async function planted(): Promise<void> {\n  await work();\n}\n",
  ],
  ["a file of 400 lines", "src/runtime/full.ts", long(400)],
];

describe("the linter", () => {
  const planted = Object.fromEntries([...OFFENCES, ...CLEAN].map(([, path, text]) => [path, text]));
  const copy = plantedCopy(["biome.json", "scripts/lint", ".gitignore"], planted);
  afterAll(copy.dispose);
  const args = ["lint", "--reporter=json", "--max-diagnostics=none", "--vcs-enabled=false", "src"];
  const report = runForJson(copy.folder, "@biomejs/biome/bin/biome", args) as LintReport;
  const rulesFor = (path: string): string[] =>
    report.diagnostics
      .filter((found) => JSON.stringify(found.location.path).includes(path))
      .map((found) => found.category);

  test.for(OFFENCES)("reports %s", ([, path, , rule]) => {
    expect(rulesFor(path)).toContain(rule);
  });

  test.for(CLEAN)("accepts %s", ([, path]) => {
    expect(rulesFor(path)).toEqual([]);
  });
});
