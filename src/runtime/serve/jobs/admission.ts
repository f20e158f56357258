/** What a job needs besides its turn: paths that nobody else works on, room for its proposal, and room on this machine. */
import type { Weight } from "../../../limits/admission/admission.ts";
import type { Claim } from "../../../ports/loops/jobs.ts";
import type { JobAdmission } from "../../coordinate/admission.ts";
import type { Machine } from "../../loops/machine.ts";
import type { ServedLoop } from "../served-loop.ts";

export interface Admission {
  /** What it took is given back with `leave`; a text: why it must wait. */
  enter(claim: Claim, served: ServedLoop): Promise<string | null>;
  renew(claim: Claim): Promise<boolean>;
  leave(claim: Claim): Promise<void>;
  close(): Promise<void>;
}

export interface AdmissionParts {
  readonly coordination: () => Promise<{ readonly admission: JobAdmission }>;
  readonly machine: (total: () => Weight | null) => Promise<Machine>;
  /** What all runs of this machine may take together, as pawl.yaml says now; null: as much as there is. */
  readonly total: () => Weight | null;
}

export function createAdmission({ coordination, machine, total }: AdmissionParts): Admission {
  let paths: Promise<JobAdmission> | null = null;
  let room: Promise<Machine> | null = null;
  const ofPaths = (): Promise<JobAdmission> => {
    paths ??= coordination().then(({ admission }) => admission);
    return paths;
  };
  const ofMachine = (): Promise<Machine> => {
    room ??= machine(total);
    return room;
  };
  return {
    async enter(claim, served) {
      const { job } = claim;
      const why = await (await ofMachine()).enter(job.id, job.weight);
      if (why !== null) return why;
      const held = await (await ofPaths()).enter(claim, served);
      // It must not keep others from what it cannot use.
      if (held !== null) await (await ofMachine()).leave(job.id);
      return held;
    },
    renew: async (claim) => (await ofPaths()).renew(claim),
    async leave(claim) {
      await (await ofPaths()).leave(claim);
      await (await ofMachine()).leave(claim.job.id);
    },
    close: async () => (await room)?.close(),
  };
}
