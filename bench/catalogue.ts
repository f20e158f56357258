/** The measured systems. `kind` says which role a system has in a comparison. */

export interface MeasuredSystem {
  readonly name: string;
  readonly kind: "raw" | "pawl" | "peer";
  /** Relative to `bench/`. */
  readonly module: string;
  readonly variant: string;
  /** What a finished stage survives. */
  readonly durableTo: "power" | "process";
}

export const PAWL: MeasuredSystem = {
  name: "pawl",
  kind: "pawl",
  module: "./systems/pawl.ts",
  variant: "default",
  durableTo: "power",
};
export const RAW_FULL: MeasuredSystem = {
  name: "raw-full",
  kind: "raw",
  module: "./systems/raw.ts",
  variant: "full",
  durableTo: "power",
};
export const RAW_GROUP: MeasuredSystem = {
  name: "raw-group",
  kind: "raw",
  module: "./systems/raw.ts",
  variant: "group",
  durableTo: "power",
};
const RAW_NORMAL: MeasuredSystem = {
  name: "raw-normal",
  kind: "raw",
  module: "./systems/raw.ts",
  variant: "normal",
  durableTo: "process",
};

export const SYSTEMS: readonly MeasuredSystem[] = [
  RAW_FULL,
  RAW_GROUP,
  RAW_NORMAL,
  PAWL,
  { name: "langgraph", kind: "peer", module: "./peers/langgraph.mjs", variant: "sync", durableTo: "power" },
  { name: "openworkflow-tick", kind: "peer", module: "./peers/openworkflow.mjs", variant: "tick", durableTo: "power" },
  {
    name: "openworkflow-worker",
    kind: "peer",
    module: "./peers/openworkflow.mjs",
    variant: "worker",
    durableTo: "power",
  },
];
