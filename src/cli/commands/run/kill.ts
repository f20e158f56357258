import { pawlError } from "../../../base/errors.ts";
import type { Released } from "../../../ports/stop/kill-switch.ts";
import type { KilledRun, KillReport } from "../../../runtime/stop/kill.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode } from "../../exit-codes.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { formatTime } from "../../views/text/format-time.ts";

export const killCommand: CommandSpec = {
  name: "kill",
  summary: "Stop a run or everything at once, and keep it stopped",
  details: [
    "Processes are ended at once, whatever they do, also when the process that hosts the run hangs. A killed run never goes on.",
    "--all also keeps everything from beginning or going on until a person says --release. The same happens while the file .pawl/kill is there (`touch .pawl/kill`), or STATE.md at the project root has the line `loop-pause-all: true`.",
    "It says that it is done when it is: every run has ended, and none of their processes is left.",
  ],
  arguments: [{ name: "run", summary: "id of a run, the beginning of one, or @last", required: false }],
  options: [
    { kind: "flag", flags: "--all", summary: "every run of the project, and any that would begin" },
    { kind: "text", flags: "--why <text>", summary: "the reason, for those who find it stopped" },
    { kind: "flag", flags: "--release", summary: "let runs begin again; nothing resumes by itself" },
  ],
  examples: [
    { line: "pawl kill @last", does: "stop the newest run" },
    { line: 'pawl kill --all --why "it deletes branches"', does: "stop everything and keep it stopped" },
    { line: "pawl kill --release", does: "let runs begin again" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { given, out, by } = context;
    const [name, all, why = ""] = [given.text("run"), given.flag("all"), given.text("why")];
    if (given.flag("release")) {
      if (name !== undefined || all) throw unclear("--release with something to stop");
      return release(context);
    }
    if ((name !== undefined) === all) throw unclear(all ? "a run and --all" : "neither a run nor --all");
    const runtime = await context.open({ readOnly: false, evenLost: true });
    const scope = name === undefined ? "all" : (await runtime.find(name)).run;
    const report = await runtime.kill({ scope, by, why });
    if (out.format === "json") out.document(report);
    else tell(context, report);
    return report.complete ? EXIT.succeeded : EXIT.failed;
  },
};

function unclear(given: string): Error {
  return pawlError(CLI_ERRORS, "CLI_KILL_SCOPE_UNCLEAR", { given });
}

async function release(context: Context): Promise<ExitCode> {
  const { out } = context;
  if (context.isInStage) throw pawlError(CLI_ERRORS, "CLI_KILL_RELEASE_REFUSED", { by: context.by });
  const runtime = await context.open({ readOnly: true, evenLost: true });
  const done: Released = await runtime.releaseKill();
  const { released, left } = done;
  if (out.format === "json") out.document({ released, left });
  if (released.length === 0 && left === null) out.line("The kill switch was not on.");
  for (const { source, by, why, at } of released)
    out.line(`Released ${source}, set by ${oneLine(by)} ${formatTime(at)} UTC${why === "" ? "" : `: ${oneLine(why)}`}`);
  if (left === null) {
    if (released.length > 0) out.line("Runs may begin. Nothing resumes by itself.");
    return EXIT.succeeded;
  }
  out.note(`${left.source} still says \`${oneLine(left.why)}\`: take the line out to release it.`);
  return EXIT.failed;
}

function tell({ out }: Context, report: KillReport): void {
  const { scope, runs, processes, hosts, left, since, complete } = report;
  for (const run of runs) out.line(lineOf(run));
  if (runs.length === 0) out.line("Nothing was under way.");
  if (processes > 0)
    out.line(
      `${processes === 1 ? "1 process was" : `${processes} processes were`} ended from here: their host did not answer.`,
    );
  for (const { pid, hostname } of hosts) out.line(`host ${pid} on ${oneLine(hostname)} did not answer and was ended`);
  if (scope === "all")
    out.line(
      `The kill switch is on since ${formatTime(since)} UTC: nothing begins or goes on until \`pawl kill --release\`.`,
    );
  for (const pid of left) out.line(`process ${pid} cannot be ended`);
  if (!complete)
    out.note("NOT everything has stopped: see above. The flag stays; call it again, or end what is named by hand.");
}

function lineOf({ run, blueprint, was, since, stages, host, stopped, why }: KilledRun): string {
  const parts = [`${stopped ? "killed" : "NOT stopped"} run ${run} of ${oneLine(blueprint)}`];
  parts.push(`it was ${was} since ${formatTime(since)} UTC`);
  if (stages.length > 0) parts.push(`cut off: ${stages.map(oneLine).join(", ")}`);
  if (host !== null) parts.push(`host ${host.pid} on ${oneLine(host.hostname)}`);
  if (why !== null && !stopped) parts.push(oneLine(why));
  return parts.join("; ");
}
