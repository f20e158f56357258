/** Whether a run that rests until a time is waited for. */
import type { Runtime } from "../../runtime/runtime.ts";
import type { Context, OptionSpec } from "../spec.ts";

export const NO_AUTO_RESUME_OPTION: OptionSpec = {
  kind: "flag",
  flags: "--no-auto-resume",
  summary: "do not wait where the run rests until a quota or a budget frees: end with 2 and leave it resting",
};

export async function resumesByItself({ given }: Pick<Context, "given">, runtime: Runtime): Promise<boolean> {
  return !given.flag("no-auto-resume") && runtime.autoResume();
}
