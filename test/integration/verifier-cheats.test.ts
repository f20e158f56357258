/** The maker cannot touch the checker: cheats are rejected, honest work is accepted, and what is merged is what was judged. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { commitFiles } from "../support/git-project.ts";
import { CHEATS, HONEST, type Maker, makerProgram, REPOSITORY } from "../support/judgement/makers.ts";

const BLUEPRINT = `version: 1
name: mend
params:
  test: { type: list, default: ["true"] }
policy:
  allow: [{ run: ["node", "make.cjs"] }, { run: ["node", "--test"] }, { run: ["node", "--test", "--test-reporter=junit", "--test-reporter-destination=report.xml"] }, { run: ["npm", "test", "**"] }, { action: "git.*" }]
limits: { stages: 20 }
stages:
  - { id: make, command: [node, make.cjs], sandbox: repo_write, timeout: 20s }
  - id: verify
    gate: { tests: { command: "\${params.test}", must: improve, reruns: 6, format: FORMAT, REPORT } }
    timeout: 15s
  - { id: commit, level: L2, action: git.commit, with: { message: "Mend the sum" } }
  - { id: merge, level: L3, action: git.merge, with: { into: main } }
`;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly root: string;
  readonly reason: string;
  readonly verify: EventOf<"stage.finished"> | undefined;
  readonly before: string;
}

async function judge(maker: Maker): Promise<Outcome> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-maker-")));
  folders.push(root);
  const report = maker.junit ? "report: report.xml" : "";
  const text = BLUEPRINT.replace("FORMAT", maker.junit ? "junit" : "auto").replace(
    ", REPORT",
    report === "" ? "" : `, ${report}`,
  );
  commitFiles(
    root,
    { ...REPOSITORY, "make.cjs": makerProgram(maker), "blueprint.yaml": text },
    "--initial-branch=main",
  );
  const before = tip(root);
  const runtime = await openRuntime({ root });
  try {
    const test = maker.junit
      ? ["node", "--test", "--test-reporter=junit", "--test-reporter-destination=report.xml"]
      : ["node", "--test"];
    const params = { test: maker.npm ? ["npm", "test", "--silent"] : test };
    const { plan } = await runtime.compile("blueprint.yaml", { level: "L3", params });
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    const { run, ended } = await runtime.start(plan.value, { unearned: { by: "ann", why: "a test" } });
    const { reason } = await ended;
    const events: readonly RunEvent[] = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
    const verify = events.findLast(
      (event): event is EventOf<"stage.finished"> => event.type === "stage.finished" && event.stage === "verify",
    );
    return { root, reason: String(reason), verify, before };
  } finally {
    await runtime.close();
  }
}

const tip = (root: string): string => git(root, "rev-parse", "main");
const git = (root: string, ...args: string[]): string =>
  execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();

describe("a cheat is rejected:", () => {
  it.concurrent.each(CHEATS.map((maker) => [maker.name, maker] as const))("%s", async (_name, maker) => {
    const { root, reason, verify, before } = await judge(maker);
    expect({ outcome: verify?.outcome, reason }).toEqual({ outcome: "fail", reason: "stage_failed" });
    expect(tip(root)).toBe(before);
    expect(git(root, "branch", "--list", "pawl/*")).toBe("");
  });
});

describe("honest work is accepted:", () => {
  it.concurrent.each(HONEST.map((maker) => [maker.name, maker] as const))("%s", async (_name, maker) => {
    const { root, reason, verify, before } = await judge(maker);
    expect({ outcome: verify?.outcome, error: verify?.error, reason }).toEqual({
      outcome: "pass",
      error: undefined,
      reason: "goal_achieved",
    });
    expect(tip(root)).not.toBe(before);
    const judged = git(root, `--git-dir=${root}/.pawl/vault.git`, "rev-parse", `${verify?.judged}^{tree}`);
    expect(git(root, "rev-parse", "main^{tree}")).toBe(judged);
    expect(verify?.output).toMatchObject({ fixed: expect.arrayContaining([expect.stringContaining("adds all")]) });
  });
});
