/**
 * Admission of a run that this process is to host: its paths, which no other loop may work on meanwhile, and its weight on this machine. A
 * run that waits holds none of it.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../base/ids.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { Coordination } from "../coordinate/coordination.ts";
import type { HeldAgain } from "../coordinate/hold-again.ts";
import type { HoldWatch } from "../coordinate/hold-by-hand.ts";
import type { OpenMachine } from "../machine/enter-machine.ts";

export interface RunAdmission {
  /** The run that it is for; null: any. */
  readonly run: RunId | null;
  /** Waits, and keeps what it gets. false: `signal` ended the wait. */
  enter(signal: AbortSignal): Promise<boolean>;
  /** Enters only if nothing is in the way now. */
  tryEnter(): Promise<boolean>;
  /** Gives it back, if there is anything. */
  leave(): Promise<void>;
}

export interface AdmissionWatch {
  /** Hears why the run waits, each time the reason is another. */
  onWait(why: string, place: "paths" | "machine"): void;
  /** The paths may be another loop's by now, because this process stood still for too long. The run must not continue here. */
  onLost(): void;
}

/** A run that starts: `loop` is null where it may change nothing; `name` is what it was started by. */
export interface StartNeed {
  readonly run: RunId | null;
  readonly loop: Loop | null;
  readonly level: Level;
  readonly name: string;
}

/** A run that resumes, or a fork that continues the run `of`. */
export interface ResumeNeed {
  readonly run: RunId;
  readonly of?: RunId | undefined;
}

export interface AdmissionParts {
  readonly root: string;
  readonly openMachine: OpenMachine;
  readonly coordination: () => Promise<Pick<Coordination, "hold">>;
  readonly holdAgain: Coordination["holdAgain"];
}

export interface AdmissionActions {
  /** What a run needs to start here; see `RunAdmission`. */
  admitToStart(need: StartNeed, watch: AdmissionWatch): RunAdmission;
  /** The same for a run that resumes. */
  admitToResume(need: ResumeNeed, watch: AdmissionWatch): RunAdmission;
}

/** `machineOf`: whose weight the run has on the machine. */
interface Need {
  readonly run: RunId | null;
  hold(watch: HoldWatch): Promise<HeldAgain | null>;
  machineOf(loop: string | null): string | null;
}

const NO_ADMISSION: RunAdmission = {
  run: null,
  enter: async () => true,
  tryEnter: async () => true,
  leave: async () => undefined,
};

export function createAdmissions(parts: AdmissionParts): AdmissionActions {
  return {
    admitToStart({ run, loop, level, name }, watch) {
      if (!existsSync(join(parts.root, "pawl.yaml"))) return NO_ADMISSION;
      const machineOf = (): string => name;
      if (loop === null || run === null) return admission(parts, { run: null, machineOf, hold: holdNothing }, watch);
      const hold: Need["hold"] = async (holdWatch) => {
        // A person is there to answer: proposals that wait for an answer do not hold it back.
        const leave = await (await parts.coordination()).hold(run, { ...loop, level, maxOpen: null }, holdWatch);
        return leave && { loop: loop.name, leave };
      };
      return admission(parts, { run, machineOf, hold }, watch);
    },
    admitToResume({ run, of }, watch) {
      const hold: Need["hold"] = (holdWatch) => parts.holdAgain(run, holdWatch, of);
      return admission(parts, { run, machineOf: (loop) => loop, hold }, watch);
    },
  };
}

const holdNothing: Need["hold"] = async () => ({ loop: null, leave: async () => undefined });

function admission(
  { root, openMachine }: AdmissionParts,
  { run, hold, machineOf }: Need,
  { onWait, onLost }: AdmissionWatch,
): RunAdmission {
  let leaves: (() => Promise<void>)[] = [];
  const leave = async (): Promise<void> => {
    const all = leaves.toReversed();
    leaves = [];
    for (const each of all) await each();
  };
  async function enter(signal: AbortSignal, tell: AdmissionWatch["onWait"]): Promise<boolean> {
    if (leaves.length > 0) return true;
    const held = await hold({ signal, onLost, onWait: (why) => tell(why, "paths") });
    if (held === null) return false;
    leaves.push(held.leave);
    const loop = machineOf(held.loop);
    if (loop !== null) {
      const { enterMachine } = await import("../machine/enter-machine.ts");
      const watch = { signal, onWait: (why: string) => tell(why, "machine") };
      leaves.push(await enterMachine(openMachine, { root, loop, key: run ?? loop }, watch));
    }
    if (!signal.aborted) return true;
    await leave();
    return false;
  }
  return {
    run,
    leave,
    enter: (signal) => enter(signal, onWait),
    tryEnter() {
      const wait = new AbortController();
      return enter(wait.signal, () => wait.abort());
    },
  };
}
