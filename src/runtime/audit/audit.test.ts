import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { DrillRecord } from "../../ports/store/evidence.ts";
import { audit } from "./audit.ts";
import { gonePaths } from "./gone-paths.ts";

const NOW = Date.UTC(2026, 10, 16);

function folder(files: Readonly<Record<string, string>>): string {
  const root = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const drill = (blueprint: string): DrillRecord => ({
  ...{ kind: "drill", id: `e_${blueprint}`, at: NOW, blueprint, by: "ann", plan: "p", gates: "g" },
  ...{ planted: 1, caught: 1, harmless: 1, passed: 1 },
});
/** Whether a drill of every loop is there, when these were drilled. */
async function isDrilled(files: Readonly<Record<string, string>>, ...names: readonly string[]): Promise<boolean> {
  const { readiness } = await audit({
    ...{ root: folder(files), now: NOW },
    evidence: async ({ blueprint }) => ({ records: names.includes(blueprint) ? [drill(blueprint)] : [], next: null }),
  });
  return !readiness.lacking.some(({ what }) => what.startsWith("a drill of every loop"));
}

const BLUEPRINT = "version: 1\nname: sweep\nstages:\n  - { id: look, gate: { change: {} } }\n";
const loops = (...lines: readonly string[]): string => `loops:\n${lines.map((line) => `  ${line}\n`).join("")}`;

test("L13: a loop is drilled under the name of its blueprint, and every one is", async () => {
  const files = {
    "a.yaml": BLUEPRINT,
    "pawl.yaml": loops("night: { blueprint: a.yaml }", "day: { pattern: ci-sweeper }"),
  };
  expect(await isDrilled(files, "sweep", "ci-sweeper")).toBe(true);
  expect(await isDrilled(files, "sweep")).toBe(false);
  expect(await isDrilled(files, "night", "day", "ci-sweeper")).toBe(false);
  expect(await isDrilled({ "pawl.yaml": files["pawl.yaml"] }, "sweep", "ci-sweeper")).toBe(false);
});

test("L13: loops of LOOP.md are drilled too, with the patterns that come with Pawl where there is no registry", async () => {
  const file = "## Active Loops\n### Daily Triage (L1)\n";
  expect(await isDrilled({ "LOOP.md": file }, "daily-triage")).toBe(true);
  expect(await isDrilled({ "LOOP.md": `${file}### Nobody\n` }, "daily-triage")).toBe(false);
  const own = { "a.yaml": BLUEPRINT, "pawl.yaml": loops("nobody: { blueprint: a.yaml }") };
  expect(await isDrilled({ "LOOP.md": `${file}### Nobody\n`, ...own }, "daily-triage", "sweep")).toBe(true);
  expect(await isDrilled({})).toBe(false);
});

it("takes for gone only what must be a path", async () => {
  const root = folder({ "src/a.ts": "" });
  const paths = ["src/a.ts", "src/b.ts", "src/b", "old/b.ts", "feature/login", "origin/main", "b.ts", "example.com"];
  expect([...(await gonePaths(root, paths))]).toEqual(["src/b.ts", "src/b", "old/b.ts"]);
});
