/** A lane for whoever embeds Pawl. */
import { createLaneOn, type Lane, type LaneOptions } from "../../loops/lane/lane.ts";

/** Throws LANE_SIZE_INVALID. */
export function createLane(options: LaneOptions): Lane {
  return createLaneOn(options, () => performance.now());
}
