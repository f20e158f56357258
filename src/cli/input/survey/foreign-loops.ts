/** `pawl init --from`: what of another system becomes a loop. */
import { relative, resolve } from "node:path";
import { PawlError, pawlError } from "../../../base/errors.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import type { Context } from "../../spec.ts";
import type { FoundLoop, Survey } from "./survey.ts";

type Behind = Pick<Runtime, "doorOf" | "compile">;

/** `.` is all that was found already; anything else is one path or name that a door opens. What is there and broken says why. */
export async function foreignLoops(
  { root, cwd }: Pick<Context, "root" | "cwd">,
  runtime: Behind,
  from: string,
  { loops, broken }: Pick<Survey, "loops" | "broken">,
): Promise<readonly FoundLoop[]> {
  const path = relative(root, resolve(cwd, from));
  const isMeant = ({ source }: { readonly source: string }): boolean =>
    path === "" || source === path || source === from;
  const found = loops.filter(isMeant);
  if (found.length > 0) return found;
  const problems = broken.filter(isMeant).flatMap((loop) => loop.problems);
  if (problems.length > 0) throw new PawlError(problems);
  const opened = path === "" ? null : ((await behind(runtime, path)) ?? (await behind(runtime, from)));
  if (opened === null) throw pawlError(CLI_ERRORS, "CLI_FROM_UNKNOWN", { from });
  return [opened];
}

async function behind(runtime: Behind, name: string): Promise<FoundLoop | null> {
  const door = await runtime.doorOf(name);
  if (door === null) return null;
  const { plan } = await runtime.compile(name, { level: "L1" });
  if (!plan.ok) throw new PawlError(plan.problems);
  const key = door === "openloop" ? "workspace" : door === "pattern" ? "pattern" : "blueprint";
  return { name: plan.value.name, key, source: name.replace(/^pattern:/, "") };
}
