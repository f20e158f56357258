/** A life of workspaces that may be killed at any of its steps. What it has done it says on standard output, a line each. */
import { writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../src/base/ids.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import { applyChanges, type Change, SPOILED, textsIn } from "./git-changes.ts";
import { CLONE, LABEL, realSandbox, workspacesAt } from "./git-project.ts";

export interface LifePlan {
  readonly root: string;
  readonly run: RunId;
  /** Made in the workspace of the run, one list for each stage. */
  readonly stages: readonly (readonly Change[])[];
  /** What is saved is also judged: composed, checked out, spoiled there and thrown away. */
  readonly isJudged?: boolean;
  /** The step at which it dies, counted from 1: taking the base is one, each cell has three, and so has what is judged. */
  readonly killAt: number;
  /** So much later. */
  readonly delayMs: number;
}

const plan = JSON.parse(process.argv[2] as string) as LifePlan;
const say = (word: string): void => void writeSync(1, `${word}\n`);
let steps = 0;

/** Dies in time. */
function step(): void {
  steps += 1;
  if (steps === plan.killAt) setTimeout(() => process.kill(process.pid, "SIGKILL"), plan.delayMs);
}

const mortal: Sandbox = {
  check: () => realSandbox().check(),
  async enclose(program) {
    step();
    const enclosure = await realSandbox().enclose(program);
    step();
    return {
      ...enclosure,
      async close() {
        const refused = await enclosure.close();
        step();
        return refused;
      },
    };
  },
};

const workspaces = workspacesAt(plan.root, mortal);
step();
const base = await workspaces.base(CLONE, LABEL.at);
const where = { run: plan.run, member: null, spec: CLONE };

/** Once thrown away, once left to the end of the run. */
async function judge(candidate: string): Promise<void> {
  step();
  const tree = await workspaces.compose(plan.run, { candidate, base, protect: ["src/**", "a"], at: LABEL.at });
  for (const isLeft of [false, true]) {
    step();
    const checkout = await workspaces.checkout(where, tree);
    writeFileSync(join(checkout.folder, "spoiled"), SPOILED);
    writeFileSync(join(checkout.folder, "src/b"), SPOILED);
    if (!isLeft) await checkout.remove(LABEL);
  }
}

for (const [index, list] of plan.stages.entries()) {
  const { folder, save } = await workspaces.enter(where, base, { ...LABEL, attempt: index + 1 });
  applyChanges(folder, list);
  say(`changed ${JSON.stringify(textsIn(folder))}`);
  if (index % 2 === 0) {
    try {
      const tree = await save(LABEL);
      say(`saved ${tree}`);
      if (plan.isJudged === true) await judge(tree);
    } catch (error) {
      if ((error as { code?: string }).code !== "WORKSPACE_TREE_UNFIT") throw error;
      say("unfit");
    }
  }
}
await workspaces.leave(plan.run, 1);
say("left");
await workspaces.sweep({ known: async () => "open", before: 0, at: 1 });
say(`steps ${steps}`);
