/** A process of a stage: in the workspace of the run, which is saved afterwards. */
import { effectKey } from "../base/ids.ts";
import { judgeQuality } from "../gates/quality.ts";
import type { Plan } from "../plan/plan.ts";
import { needsTree } from "../plan/walls.ts";
import type { ProcessReport, ProcessRequest } from "../ports/executor.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { ModelDoor } from "../ports/models/model-access.ts";
import type { Checkout } from "../ports/workspaces.ts";
import type { Landing } from "./aftermath.ts";
import type { Halt } from "./control/halt.ts";
import { isOver } from "./control/heed.ts";
import { inTimeBox, timeLeft } from "./control/time-box.ts";
import { type Finished, type Flight, failure, type Of } from "./flight.ts";
import { type Modelled, nothingSpent, withModels } from "./models.ts";
import { canWrite, placeOf } from "./place.ts";

/** A process works in a workspace that holds exactly the tree it shall begin with; what it leaves there is saved. */
export async function performProcess(
  plan: Plan,
  flight: Flight,
  effect: Of<"process">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Processed> {
  const { run, stage, member, attempt, tree } = flight;
  const place = placeOf(plan, { run, member, tree, leaf: effect.stage });
  if (place === null && needsTree(plan)) return refused(effect, "the run has no tree to work in: nothing was started");
  const clear = (): Promise<void> => ports.executor.forget({ run, stage, attempt });
  const work = (at: Checkout | null): Promise<Modelled> =>
    withModels(flight, effect, ports, async (door) =>
      finishedBy(effect, await execute(flight, effect, at, ports, halt, door === null ? {} : { door })),
    );
  if (place === null || tree === null) return { ...(await work(null)), clear };
  const label = { stage, attempt, at: ports.clock.now() };
  const { clock } = ports;
  const { timeoutMs } = effect.stage;
  const workspace = await inTimeBox({ timeoutMs, clock, halt }, "spawn_error", (signal) =>
    ports.workspaces.enter(place, tree, label, signal),
  );
  if ("refusal" in workspace) return withoutProcess(effect, workspace.refusal);
  const begunAt = clock.now();
  const { finished, parkedUntil } = await work(workspace.value);
  if (!canWrite(effect.stage)) return { finished, parkedUntil, clear };
  const left = { timeoutMs: timeLeft(timeoutMs, begunAt, clock), clock, halt };
  const saved = await inTimeBox(left, "invalid_output", (signal) => workspace.value.save(label, signal));
  if ("refusal" in saved) return { finished: { ...finished, ...saved.refusal }, clear };
  const clearAll = async (): Promise<void> => {
    const remove = (signal: AbortSignal): Promise<void> => workspace.value.remove(label, signal);
    await Promise.all([clear(), inTimeBox({ timeoutMs: 0, clock, halt }, "killed", remove)]);
  };
  const clearIt = place.member === null ? clear : clearAll;
  // Nobody asks what it holds where nothing can repeat.
  const content = plan.limits.stagnation === undefined ? undefined : workspace.value.content();
  return { finished: { ...finished, tree: saved.value, content }, parkedUntil, clear: clearIt };
}

export interface Processed {
  readonly finished: Finished;
  /** When the quota of the provider that refused it comes back; without it, none has. */
  readonly parkedUntil?: number | null;
  readonly clear?: Landing["clear"];
}

export function refused(effect: Of<"process">, error: string): Processed {
  return withoutProcess(effect, failure("spawn_error", error));
}

/** Nothing of it was started. */
export function withoutProcess(effect: Of<"process">, end: Finished): Processed {
  return { finished: { ...gated(effect, end), ...nothingSpent(effect.stage) } };
}

function gated(effect: Of<"process">, finished: Finished): Finished {
  return effect.stage.kind === "gate" ? { ...finished, outcome: "fail" } : finished;
}

/** What a process gets that not every process gets. */
export interface Besides {
  readonly evidence?: ProcessRequest["evidence"] | undefined;
  readonly door?: ModelDoor;
}

/** Runs the program of the effect once, in a workspace or in the project folder. */
export async function execute(
  flight: Flight,
  effect: Of<"process">,
  place: Checkout | null,
  ports: KernelPorts,
  halt: Halt,
  { evidence, door }: Besides = {},
): Promise<ProcessReport> {
  const { run, stage, visit, attempt } = flight;
  const { cwd, wall, timeoutMs, stallMs, capture, outputs, keep } = effect.stage;
  const { argv, inputs, strip } = effect;
  // What leads to the gateway comes last, so that nothing can take its place.
  const env = { ...effect.env, ...door?.env };
  const key = effectKey(run, stage, visit);
  const { folder, project, mounts } = place ?? { folder: null, project: "", mounts: [] };
  const request = { run, stage, attempt, key, argv, env, folder, project, mounts, cwd, wall, inputs, strip, outputs };
  // Much may have happened while the folder was made: a signal that has ended starts nothing.
  isOver(run, ports.killSwitch, halt);
  return ports.executor.execute(
    {
      ...{ ...request, timeoutMs, stallMs, capture },
      ...(keep === undefined ? {} : { keep }),
      ...(evidence === undefined ? {} : { evidence }),
      ...(door === undefined ? {} : { modelSocket: door.socket }),
    },
    halt.signal(),
    (text) => ports.onOutput(run, stage, text),
  );
}

/** What a report says about the stage. */
export function finishedBy(effect: Of<"process">, report: ProcessReport): Finished {
  const { artifacts, evidence: _, ...facts } = report;
  return {
    ...facts,
    outcome: outcomeOf(effect, report),
    ...(Object.keys(artifacts).length === 0 ? {} : { artifacts }),
  };
}

/** A gate speaks its own words: whatever is not a pass or an exit it lists is a fail. */
function outcomeOf({ stage }: Of<"process">, report: ProcessReport): string {
  if (stage.kind === "command") return report.cause === "ok" ? "success" : "failure";
  if (stage.judge.by === "quality") return judgeQuality(stage.judge.mode, report).outcome;
  // What must be compared cannot be judged by an exit code.
  if (stage.judge.by !== "exit") return "fail";
  if (report.cause === "ok") return "pass";
  return report.cause === "exit" && stage.judge.escalateExits.some((exit) => exit === report.exit)
    ? "escalate"
    : "fail";
}
