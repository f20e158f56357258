/** The option that lets a run go above the level that was earned. It is said anew for each start, with the reason. */
import { pawlError } from "../../base/errors.ts";
import type { StartOptions } from "../../runtime/runtime.ts";
import { CLI_ERRORS } from "../errors.ts";
import type { Context, OptionSpec } from "../spec.ts";

export const UNEARNED_OPTION: OptionSpec = {
  kind: "text",
  flags: "--unearned <why>",
  summary: "run above the earned level; the reason is stored with the run",
};

export function unearnedGiven({ given, by }: Context, command: string): Pick<StartOptions, "unearned"> {
  const why = given.text("unearned");
  if (why === undefined) return {};
  if (why.trim() === "")
    throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command, message: "--unearned needs a reason." });
  return { unearned: { by, why: why.trim() } };
}
