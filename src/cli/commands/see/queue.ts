import { pawlError } from "../../../base/errors.ts";
import type { JsonValue } from "../../../base/json.ts";
import { DEFAULT_LANE } from "../../../blueprint/project/parse-project.ts";
import { LANE_ERRORS } from "../../../ports/loops/lane-errors.ts";
import type { LoopStore } from "../../../ports/loops/loop-store.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { renderQueue } from "../../views/loops/queue.ts";

const MOST_JOBS = 100;

export const queueCommand: CommandSpec = {
  name: "queue",
  summary: "Show what waits in each lane and when it begins, cancel it, or resize a lane",
  details: [
    "Loops that `pawl serve` fires wait in lanes. Callers of a lane take turns, whatever each has queued; `place` is how many are served until the job is.",
    "`cancel` takes a job out that waits; what runs is ended with `pawl cancel` and the id of its run.",
    "`resize` changes how many jobs of a lane run at once, from the next one on. It stands until pawl.yaml says something else about the lane; 0 lets nothing begin.",
  ],
  arguments: [
    { name: "what", summary: "cancel or resize; nothing: show the queue", required: false },
    { name: "name", summary: "with cancel: the id of a job; with resize: a lane", required: false },
    { name: "count", summary: "with resize: how many at once", required: false },
  ],
  options: [],
  examples: [
    { line: "pawl queue", does: "every lane, what runs in it and what waits" },
    { line: "pawl queue cancel fix-tests@2026-06-01T03:00:00.000Z", does: "take one job out" },
    { line: "pawl queue resize agents 1", does: "one at once in the lane `agents`" },
    { line: "pawl queue --json | jq '.jobs[] | select(.position == 1)'", does: "who is next in each lane" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { given } = context;
    const [what, name, count] = [given.text("what"), given.text("name"), given.text("count")];
    if (what === undefined) return withLoops(context, true, (loops) => show(context, loops));
    if (what === "cancel" && name !== undefined && count === undefined)
      return withLoops(context, false, (loops) => cancel(context, loops, name));
    if (what === "resize" && name !== undefined && count !== undefined && /^\d{1,4}$/.test(count))
      return resizeKnown(context, name, Number(count));
    const message = "Say nothing, `cancel` and the id of a job, or `resize`, a lane and a whole number.";
    throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "queue", message });
  },
};

async function withLoops<T>({ root }: Context, readOnly: boolean, work: (loops: LoopStore) => Promise<T>): Promise<T> {
  const { openLoops } = await import("../../../runtime/wire.ts");
  const loops = await openLoops(root, { readOnly });
  try {
    return await work(loops);
  } finally {
    await loops.close();
  }
}

/** A name that nobody waits in, and that pawl.yaml does not have, was meant otherwise. */
async function resizeKnown(context: Context, lane: string, max: number): Promise<ExitCode> {
  const { loadProject } = await import("../../../runtime/loops/load-project.ts");
  const { file } = await loadProject(context.root);
  const declared = file?.ok === true ? file.value.lanes.map(({ name }) => name) : [];
  const used = await withLoops(context, true, async ({ jobs }) => {
    const { lanes } = await jobs.queue({ at: context.now(), limit: 0 });
    return lanes.map((each) => each.lane);
  });
  const known = new Set([DEFAULT_LANE, ...declared, ...used]);
  if (!known.has(lane)) throw pawlError(LANE_ERRORS, "LANE_UNKNOWN", { lane, known: [...known].sort().join(", ") });
  return withLoops(context, false, (loops) => resize(context, loops, lane, max));
}

async function show({ out, now }: Context, { jobs }: LoopStore): Promise<ExitCode> {
  const queue = await jobs.queue({ at: now(), limit: MOST_JOBS });
  if (out.format === "json") out.document(queue as unknown as JsonValue);
  else for (const line of renderQueue(queue, { now: now(), columns: out.columns(), paint: out.paint })) out.line(line);
  return EXIT.succeeded;
}

async function cancel({ out }: Context, { jobs }: LoopStore, id: string): Promise<ExitCode> {
  await jobs.cancel(id);
  if (out.format === "json") out.document({ cancelled: id });
  else out.line("taken out of the queue");
  return EXIT.succeeded;
}

async function resize({ out, now }: Context, { jobs }: LoopStore, lane: string, max: number): Promise<ExitCode> {
  await jobs.resize(lane, max);
  const { lanes } = await jobs.queue({ lane, at: now(), limit: 0 });
  if (out.format === "json") out.document({ lanes: lanes as unknown as JsonValue });
  else out.line(max === 0 ? "nothing begins in this lane now" : `at most ${max} at once from now on`);
  return EXIT.succeeded;
}
