/** What can be asked of a lane at all. */
import { isShare, MOST_SHARE } from "./fair-share.ts";

const MOST_AT_ONCE = 1000;

export interface JobRequest {
  readonly id: string;
  readonly lane: string;
  readonly caller: string;
  readonly priority: number;
  readonly share?: number;
}

/** null: there is none. */
export function jobProblem({ id, lane, caller, priority, share = 1 }: JobRequest): string | null {
  if (id === "" || lane === "" || caller === "") return "its id, its lane or its caller is empty";
  if (!Number.isSafeInteger(priority)) return `its priority is ${priority}`;
  return isShare(share) ? null : `its share is ${share}, not a whole number from 1 to ${MOST_SHARE}`;
}

/** Whether a lane cannot have this bound. */
export function sizeProblem(max: number): boolean {
  return !Number.isInteger(max) || max < 0 || max > MOST_AT_ONCE;
}
