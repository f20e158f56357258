/** A run of a loop begins when nobody else works on its paths and it fits on the machine, whoever starts it. Others begin at once. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatRunId, type RunId } from "../../../base/ids.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { Runtime, StartOptions } from "../../../runtime/runtime.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { loopGiven } from "../../input/find-blueprint.ts";
import type { Context } from "../../spec.ts";
import { enterMachine } from "./enter-machine.ts";

type Work = (start: Pick<StartOptions, "run">) => Promise<ExitCode>;

export async function withRoom(context: Context, runtime: Runtime, plan: Plan, work: Work): Promise<ExitCode> {
  const { root, given } = context;
  if (!existsSync(join(root, "pawl.yaml"))) return work({});
  const held = await holdPaths(context, runtime, plan);
  if (held === "interrupted") return EXIT.interrupted;
  try {
    const leaveMachine = await enterMachine(context, given.text("blueprint") ?? "");
    return await work(held === null ? {} : { run: held.run }).finally(leaveMachine);
  } finally {
    await held?.leave();
  }
}

interface Held {
  /** The run that the paths are held for. */
  readonly run: RunId;
  leave(): Promise<void>;
}

/** null: it is no loop, or changes nothing. */
async function holdPaths(context: Context, runtime: Runtime, { level }: Plan): Promise<Held | "interrupted" | null> {
  const loop = level < "L2" ? undefined : await loopGiven(context, runtime);
  if (loop === undefined) return null;
  const coordination = await runtime.coordination();
  const { randomBytes } = await import("node:crypto");
  const run = formatRunId(randomBytes(12));
  const waiting = new AbortController();
  const release = context.interrupts.handle(() => waiting.abort());
  const leave = await coordination.hold(
    run,
    // A person is there to answer: proposals that wait for an answer do not hold it back.
    { ...loop, level, maxOpen: null },
    {
      signal: waiting.signal,
      onWait: (why) => context.out.note(`waiting: ${why}; Ctrl-C ends the wait`),
      onLost() {
        context.out.note(`its paths may be another loop's by now; go on later with: pawl resume ${run}`);
        void runtime.drain();
      },
    },
  );
  release();
  return leave === null ? "interrupted" : { run, leave };
}
