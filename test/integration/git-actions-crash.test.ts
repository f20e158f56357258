/** Every git action with git cut off before and after each of its commands: repeated, it has happened exactly once. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { ActionReport } from "../../src/ports/actions.ts";
import { type ActionRepository, actionRepository, addRemote, RUN } from "../support/action-repository.ts";

const BRANCH = `pawl/${RUN}`;
const FULL = process.env["PAWL_FULL"] === "1";

/** A git that is cut off at one of its calls; 0: at none. */
function brittleGit(dir: string): {
  readonly program: string;
  failAt(call: number, when: string): void;
  calls(): number;
} {
  const program = join(dir, "brittle-git");
  const [count, plan] = [join(dir, "count"), join(dir, "plan")];
  const lines = [
    "#!/bin/sh",
    `read -r n < ${count}; n=$((n + 1)); echo $n > ${count}`,
    `read -r at when < ${plan}`,
    'if [ "$n" = "$at" ] && [ "$when" = before ]; then exit 137; fi',
    'git "$@"; code=$?',
    'if [ "$n" = "$at" ]; then exit 137; fi',
    "exit $code",
  ];
  writeFileSync(program, `${lines.join("\n")}\n`, { mode: 0o755 });
  return {
    program,
    failAt(call, when) {
      writeFileSync(count, "0\n");
      writeFileSync(plan, `${call} ${when}\n`);
    },
    calls: () => Number(readFileSync(count, "utf8")),
  };
}

interface Case {
  readonly name: string;
  readonly input: JsonObject;
  /** Gets the repository to where the action begins, and gives the tree of the run. */
  prepare(repository: ActionRepository): Promise<string>;
  /** Must be the same after every way to get there. */
  outcome(repository: ActionRepository): unknown;
}

async function committed(repository: ActionRepository): Promise<string> {
  const tree = repository.save({ "new/x": "1", readme: null });
  const report = await repository.perform("git.commit", { message: "work" }, { tree, stage: "commit" });
  if (!report.ok) throw new Error(report.error);
  return tree;
}

const CASES: readonly Case[] = [
  {
    name: "git.commit",
    input: { message: "work" },
    prepare: async (repository) => repository.save({ x: "1" }),
    outcome: ({ git }) => [git("rev-list", BRANCH), git("status", "--porcelain")],
  },
  {
    name: "git.branch",
    input: { name: "pawl/here" },
    prepare: committed,
    outcome: ({ git }) => git("for-each-ref"),
  },
  ...["ff", "squash"].map((mode) => ({
    name: "git.merge",
    input: { into: "main", mode },
    prepare: committed,
    outcome: ({ git }: ActionRepository) => [
      git("rev-list", "main"),
      git("status", "--porcelain"),
      git("rev-parse", "HEAD^{tree}"),
    ],
  })),
  {
    name: "git.push",
    input: {},
    async prepare(repository) {
      addRemote(repository);
      return committed(repository);
    },
    outcome: ({ dir }) => execFileSync("git", ["-C", join(dir, "origin.git"), "for-each-ref"], { encoding: "utf8" }),
  },
  {
    name: "apply_patch",
    input: { patch: "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n" },
    prepare: async (repository) => repository.save({ x: "1" }),
    outcome: ({ inVault }) => inVault("for-each-ref", `refs/pawl/${RUN}/patched`),
  },
];

describe.each(CASES)("$name $input.mode", ({ name, input, prepare, outcome }) => {
  it("has happened exactly once after any cut and a second attempt", async () => {
    const first = actionRepository();
    const tree = await prepare(first);
    const run = async (
      failAt: number,
      when: string,
    ): Promise<{ report: ActionReport; calls: number; outcome: unknown }> => {
      const repository = actionRepository("sha1", first);
      const git = brittleGit(repository.dir);
      const perform = (): Promise<ActionReport> =>
        repository.perform(name, input, { tree, stage: "act" }, { gitProgram: git.program });
      git.failAt(failAt, when);
      const cut = await perform();
      const calls = git.calls();
      git.failAt(0, "never");
      const report = failAt === 0 ? cut : await perform();
      expect(report).toMatchObject({ ok: true });
      const end = outcome(repository);
      expect(await perform()).toMatchObject({ ok: true });
      expect(outcome(repository)).toEqual(end);
      return { report, calls, outcome: end };
    };
    const whole = await run(0, "never");
    expect(whole.calls).toBeGreaterThan(4);
    // The last calls are those that change something; of the others every third, and no more than ten, is enough for a quick run.
    const step = Math.max(3, Math.ceil(whole.calls / 10));
    const isCut = (call: number): boolean => FULL || call > whole.calls - 4 || call % step === 0;
    for (let call = 1; call <= whole.calls; call += 1) {
      for (const when of isCut(call) ? ["before", "after"] : []) {
        const again = await run(call, when);
        expect([call, when, again.outcome]).toEqual([call, when, whole.outcome]);
      }
    }
  });
});
