/** `pawl run LOOP --no-wait`: queues a run for whoever serves, and tells how it is called. */

import { pawlError } from "../../../base/errors.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import { findLoop, loopNames } from "../../input/find-loop.ts";
import { suggest } from "../../input/suggest.ts";
import { reportProblems } from "../../report-problems.ts";
import type { Context } from "../../spec.ts";

const TEXTS = ["level", "agent", "backend", "count", "unearned"];
const FLAGS = ["worktree", "dry-run", "no-auto-resume", "danger-full-access"];
const COUNTS = ["ticks", "max-rounds"];

export async function queueRun(context: Context, runtime: Runtime): Promise<ExitCode> {
  const { out, root, cwd } = context;
  const name = context.given.text("blueprint") ?? "";
  refuseOthers(context);
  const found = await findLoop(runtime, name);
  if (found === undefined)
    throw pawlError(CLI_ERRORS, "CLI_QUEUE_NO_LOOP", { name, near: suggest(name, await loopNames(runtime)) });
  if (!found.ok) return reportProblems(out, { problems: found.problems, sources: found.sources, root, cwd });
  const asked = await runtime.queueRun(found.loop);
  if (out.format !== "human")
    out.document({ job: asked.id, run: asked.run, loop: asked.loop, lane: asked.lane, position: asked.position });
  out.line(`queued ${asked.id}`);
  out.line(`run ${asked.run}`);
  out.note("`pawl serve` runs it; `pawl queue` shows its place.");
  return EXIT.succeeded;
}

/** What is queued runs as pawl.yaml says when its turn comes: anything else would be lost on the way. */
function refuseOthers({ given }: Context): void {
  const words = [
    ...TEXTS.filter((word) => given.text(word) !== undefined),
    ...FLAGS.filter((word) => given.flag(word)),
    ...COUNTS.filter((word) => given.count(word) !== undefined),
    ...(given.list("param").length > 0 ? ["param"] : []),
  ];
  if (words.length === 0) return;
  const message = `--no-wait runs the loop as pawl.yaml says: leave out ${words.map((word) => (word === "count" ? "the number of ticks" : `--${word}`)).join(", ")}.`;
  throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "run", message });
}
