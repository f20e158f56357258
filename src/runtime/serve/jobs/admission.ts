/** What a job needs besides its turn: paths that nobody else works on, room for its proposal, and room on this machine. */
import { sharedAttempt } from "../../../base/shared-attempt.ts";
import type { Weight } from "../../../limits/admission/admission.ts";
import type { Claim } from "../../../ports/loops/jobs.ts";
import type { JobAdmission, Wanted } from "../../coordinate/admission.ts";
import type { Coordination } from "../../coordinate/coordination.ts";
import type { Machine } from "../../machine/machine.ts";
import type { ServedLoop } from "../served-loop.ts";

export interface Admission {
  /** What it took is given back with `leave`; a text: why it must wait. */
  enter(claim: Claim, served: ServedLoop): Promise<string | null>;
  /** The same for a run that resumes: what it needs is what it was let in with. */
  enterAgain(claim: Claim): Promise<string | null>;
  renew(claim: Claim): Promise<boolean>;
  leave(claim: Claim): Promise<void>;
  close(): Promise<void>;
}

export interface AdmissionParts {
  readonly coordination: () => Promise<Pick<Coordination, "admission" | "again">>;
  readonly machine: (total: () => Weight | null) => Promise<Machine>;
  /** What all runs of this machine may take together, as pawl.yaml says now; null: as much as there is. */
  readonly total: () => Weight | null;
}

export function createAdmission({ coordination, machine, total }: AdmissionParts): Admission {
  const ofPaths = async (): Promise<JobAdmission> => (await coordination()).admission;
  const room = sharedAttempt(() => machine(total));
  const ofMachine = room.get;
  /** `wanted` null: no paths. */
  async function enterWith(claim: Claim, wanted: Wanted | null): Promise<string | null> {
    const { job } = claim;
    const why = await (await ofMachine()).enter(job.id, job.weight);
    if (why !== null || wanted === null) return why;
    const held = await (await ofPaths()).enter(claim, { loop: wanted });
    // It must not keep others from what it cannot use.
    if (held !== null) await (await ofMachine()).leave(job.id);
    return held;
  }
  return {
    enter: (claim, { loop }) => enterWith(claim, loop),
    async enterAgain(claim) {
      const again = await (await coordination()).again(claim.job.run);
      return enterWith(claim, again?.wanted ?? null);
    },
    renew: async (claim) => (await ofPaths()).renew(claim),
    async leave(claim) {
      await (await ofPaths()).leave(claim);
      await (await ofMachine()).leave(claim.job.id);
    },
    close: async () => (await room.kept())?.close(),
  };
}
