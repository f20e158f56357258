/** A run of a loop goes on only while nobody else works on its paths and it fits on the machine, whoever starts it. Others wait for nobody. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatRunId, type RunId } from "../../../base/ids.ts";
import type { Plan } from "../../../plan/plan.ts";
import type { HeldAgain } from "../../../runtime/coordinate/hold-again.ts";
import type { HoldWatch } from "../../../runtime/coordinate/hold-by-hand.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { loopGiven } from "../../input/find-blueprint.ts";
import type { Context } from "../../spec.ts";
import { enterMachine } from "./enter-machine.ts";

/** What a run needs while it is hosted. A run that rests needs none of it. */
export interface Room {
  /** The run that it is for; null: any. */
  readonly run: RunId | null;
  /** Waits, says for what, and keeps it. false: `signal` ended the wait. */
  enter(signal: AbortSignal): Promise<boolean>;
  /** Gives it back, if there is anything. */
  leave(): Promise<void>;
}

/** `machineOf`: whose weight it has on the machine. */
interface Need {
  hold(watch: HoldWatch): Promise<HeldAgain | null>;
  machineOf(loop: string | null): string | null;
}

const NO_ROOM: Room = { run: null, enter: async () => true, leave: async () => undefined };

/** For the run of a plan that begins. */
export async function roomToBegin(context: Context, runtime: Runtime, { level }: Plan): Promise<Room> {
  if (!existsSync(join(context.root, "pawl.yaml"))) return NO_ROOM;
  const machineOf = (): string => context.given.text("blueprint") ?? "";
  const loop = level < "L2" ? undefined : await loopGiven(context, runtime);
  if (loop === undefined)
    return createRoom(context, runtime, null, {
      machineOf,
      hold: async () => ({ loop: null, leave: async () => undefined }),
    });
  const { randomBytes } = await import("node:crypto");
  const run = formatRunId(randomBytes(12));
  return createRoom(context, runtime, run, {
    machineOf,
    async hold(watch) {
      // A person is there to answer: proposals that wait for an answer do not hold it back.
      const leave = await (await runtime.coordination()).hold(run, { ...loop, level, maxOpen: null }, watch);
      return leave && { loop: loop.name, leave };
    },
  });
}

/** For a run that goes on. `of`: the run that it is forked from. */
export function roomToGoOn(context: Context, runtime: Runtime, run: RunId, of?: RunId): Room {
  return createRoom(context, runtime, run, {
    machineOf: (loop) => loop,
    hold: (watch) => runtime.holdAgain(run, watch, of),
  });
}

function createRoom(context: Context, runtime: Runtime, run: RunId | null, { hold, machineOf }: Need): Room {
  let leaves: (() => Promise<void>)[] = [];
  const leave = async (): Promise<void> => {
    const all = leaves.toReversed();
    leaves = [];
    for (const each of all) await each();
  };
  const lost = (): void => {
    context.out.note(`its paths may be another loop's by now; go on later with: pawl resume ${run}`);
    void runtime.drain();
  };
  return {
    run,
    leave,
    async enter(signal) {
      if (leaves.length > 0) return true;
      const onWait = (why: string): void => context.out.note(`waiting: ${why}; Ctrl-C ends the wait`);
      const held = await hold({ signal, onWait, onLost: lost });
      if (held === null) return false;
      leaves.push(held.leave);
      const loop = machineOf(held.loop);
      const leaveMachine = loop === null ? null : await enterMachine(context, loop, signal);
      if (leaveMachine !== null) leaves.push(leaveMachine);
      if (!signal.aborted) return true;
      await leave();
      return false;
    },
  };
}

/** Does the work when there is room for it; a signal ends the wait. */
export async function withRoom(context: Context, room: Room, work: () => Promise<ExitCode>): Promise<ExitCode> {
  const waiting = new AbortController();
  const release = context.interrupts.handle(() => waiting.abort());
  if (!(await room.enter(waiting.signal).finally(release))) return EXIT.interrupted;
  try {
    return await work();
  } finally {
    await room.leave();
  }
}
