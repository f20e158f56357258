/** The flag that lets a blueprint run without a sandbox where it asks for that. It is said anew for each start. */
import type { Given, OptionSpec } from "../spec.ts";

export const DANGER_OPTION: OptionSpec = {
  kind: "flag",
  flags: "--danger-full-access",
  summary: "let stages that ask for danger_full_access run without a sandbox",
};

export function allowsDanger(given: Given): boolean {
  return given.flag("danger-full-access");
}
