import { pawlError } from "../../../base/errors.ts";
import type { Coordination } from "../../../runtime/coordinate/coordination.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { formatTime } from "../../views/text/format-time.ts";

type Change = Awaited<ReturnType<Coordination["standing"]>>[number];
type Step = Parameters<Parameters<Coordination["work"]>[0]["onStep"]>[0];

export const mergeCommand: CommandSpec = {
  name: "merge",
  summary: "Accept the change of a run, and merge what waits: judged together, one after the other",
  details: [
    "Each change is carried onto the newest commit of its branch, and the gates of its run judge the combination; only what they pass is merged. A change that does not pass is sent back, and its branch pawl/<run> keeps it.",
    "Ends with 2 where the change still waits: its branch is in use, or another process is at it.",
    "Without a run, what was accepted and what runs at L3 have handed in is merged. `pawl serve` does that by itself.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: false }],
  options: [
    { kind: "text", flags: "--into <branch>", summary: "the branch of yours; without it, the one that is checked out" },
    { kind: "text", flags: "--reject <why>", summary: "do not take the change of this run, and say why" },
    { kind: "flag", flags: "--list", summary: "only show what waits" },
  ],
  examples: [
    { line: "pawl merge @last", does: "accept the change of the newest run, and merge it when it passes" },
    { line: 'pawl merge r_4f --reject "too large"', does: "say no to a proposal" },
    { line: "pawl merge --list --json", does: "what waits for an answer or for its turn" },
  ],
  exits: [0, 1, 2, 3],
  formats: ["json"],
  async run(context) {
    const { given, out } = context;
    refuseIdle(context);
    const runtime = await context.open({ readOnly: false });
    const coordination = await runtime.coordination();
    const name = given.text("run");
    const why = given.text("reject");
    const { run = null } = name === undefined ? {} : await runtime.find(name);
    if (run !== null && why !== undefined) await coordination.reject(run, { by: context.by, why });
    else if (run !== null) await coordination.accept(run, { into: given.text("into") ?? null, by: context.by });
    const steps: Step[] = [];
    const isIdle = given.flag("list") || why !== undefined;
    if (!isIdle) {
      const onStep = (step: Step): void => {
        steps.push(step);
        for (const line of renderStep(step)) out.line(line);
      };
      await coordination.work({ worker: `merge ${process.pid}`, isAsked: true, onStep });
    }
    return tell(context, coordination, { run: isIdle ? null : run, steps });
  },
};

/** What would be ignored is refused. */
function refuseIdle({ given }: Context): void {
  const ofRun = ["into", "reject"].filter((name) => given.text(name) !== undefined);
  const hasRun = given.text("run") !== undefined;
  const isBoth = ofRun.length === 2 && hasRun;
  if (isBoth) throw usage("A change that is rejected goes into no branch: give --into or --reject.");
  if (given.flag("list") && (hasRun || ofRun.length > 0))
    throw usage("--list shows everything that waits: leave out the rest.");
  if (!hasRun && ofRun.length > 0) throw usage(`--${ofRun[0]} is about the change of one run: name the run.`);
}

function usage(message: string): Error {
  return pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "merge", message });
}

interface Worked {
  /** The one that was to be merged; null: whatever waits. */
  readonly run: string | null;
  readonly steps: readonly Step[];
}

async function tell({ out }: Context, coordination: Coordination, { run, steps }: Worked): Promise<0 | 1 | 2> {
  const standing = await coordination.standing();
  const merging = await mergingOf(coordination, standing);
  const ended = steps.flatMap((step) => step.ended.map(({ record, ...end }) => ({ ...end, run: record.run })));
  if (out.format === "json") out.document({ ended, standing, merging });
  for (const change of standing) out.line(renderChange(change));
  for (const { into, name, until } of merging)
    out.line(oneLine(`${into}: ${name} is at it; if it is gone, another can begin at ${formatTime(until)} UTC`));
  if (ended.length === 0 && standing.length === 0) out.line("nothing waits to be merged");
  if (ended.some(({ to }) => to === "returned")) return EXIT.failed;
  const isLeft = standing.some((change) => change.run === run) || steps.some(({ putOff }) => putOff !== null);
  return isLeft ? EXIT.human : EXIT.succeeded;
}

/** Who else is at the queues that something waits in. */
async function mergingOf(coordination: Coordination, standing: readonly Change[]) {
  const found: { readonly into: string; readonly name: string; readonly until: number }[] = [];
  for (const into of new Set(standing.filter(({ state }) => state === "queued").map((change) => change.into))) {
    const holder = await coordination.merging(into);
    if (holder !== null) found.push({ into, ...holder });
  }
  return found;
}

function renderStep({ into, ended, putOff }: Step): readonly string[] {
  const lines = ended.map(({ record, to, why, commit }) => {
    const detail = why ?? commit?.slice(0, 12) ?? "";
    return oneLine(`${record.run}  ${to === "merged" ? `merged into ${into}` : "sent back"}  ${detail}`);
  });
  return putOff === null ? lines : [...lines, oneLine(`put off: ${putOff}`)];
}

function renderChange({ run, loop, state, into, collisions }: Change): string {
  const what = state === "open" ? "waits for an answer" : "waits for its turn";
  const [first] = collisions;
  return oneLine(`${run}  ${loop} → ${into}  ${what}${first === undefined ? "" : `; ${first}`}`);
}
