/** Hosting: a run in the hands of its loop. */
import type { RunId } from "../base/ids.ts";
import type { Plan } from "../plan/plan.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Purse } from "../ports/store/budget.ts";
import type { RunEvent } from "../run/events.ts";
import type { RunState } from "../run/state.ts";
import { type Aftermath, createAftermath } from "./aftermath.ts";
import { createHalt, type Halt } from "./control/halt.ts";
import type { Inbox } from "./control/inbox.ts";
import type { Flight } from "./flight.ts";

/** A run as its journal tells it: `seq` events are stored. A new run has none yet, only those in `unsaved`. */
export interface Restored {
  readonly run: RunId;
  readonly plan: Plan;
  readonly state: RunState;
  readonly seq: number;
  readonly unsaved: readonly RunEvent[];
  /** Called when those are durable. */
  readonly onSaved?: () => void;
  /** What pays for the run; without it nothing is counted. */
  readonly purse?: Purse | undefined;
}

/** A run while the loop hosts it. */
export interface Hosting {
  readonly run: RunId;
  readonly plan: Plan;
  readonly ports: KernelPorts;
  readonly purse: Purse | undefined;
  readonly inbox: Inbox;
  state: RunState;
  seq: number;
  /** Recorded and not yet durable. */
  pending: RunEvent[];
  /** Authorized, and to be performed as soon as its INTENT is durable. */
  cleared: Flight[];
  readonly flying: Set<Promise<void>>;
  readonly aftermath: Aftermath;
  readonly halt: Halt;
}

/** Every member is written out: objects of one shape, or everything that reads them becomes slow. */
export function hostingOf(restored: Restored, ports: KernelPorts, inbox: Inbox): Hosting {
  const { run, plan, state, seq, unsaved, onSaved, purse } = restored;
  const aftermath = createAftermath();
  if (onSaved !== undefined) aftermath.add({ clear: async () => onSaved() });
  return {
    run,
    plan,
    ports,
    purse,
    inbox,
    state,
    seq,
    pending: [...unsaved],
    cleared: [],
    flying: new Set(),
    aftermath,
    halt: createHalt(),
  };
}
