import { pawlError } from "../../../base/errors.ts";
import type { RunRow } from "../../../ports/store/run-index.ts";
import { isTerminal, STATUSES, type Status } from "../../../run/reasons.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT, type ExitCode, exitOfRun } from "../../exit-codes.ts";
import { nextWakeLines, nextWakes } from "../../runs/next-wakes.ts";
import { readStory } from "../../runs/read-story.ts";
import { runDocument } from "../../runs/run-writers.ts";
import { tendApprovals } from "../../runs/tend-approvals.ts";
import { type Watched, watch } from "../../runs/watch.ts";
import type { CommandSpec, Context } from "../../spec.ts";
import { oneLine, statusColor } from "../../views/event-line.ts";
import { renderHeartbeat } from "../../views/heartbeat.ts";
import { nextSteps, renderHeadline, renderNext } from "../../views/run.ts";
import { openAttempts } from "../../views/run-story.ts";
import { formatAge, formatElapsed } from "../../views/text/format-time.ts";
import { renderTable } from "../../views/text/table.ts";

export const statusCommand: CommandSpec = {
  name: "status",
  summary: "List runs, or say how one stands",
  details: [
    "Without a run: the newest runs first. A run that shows as `lost` has no process any more and can be resumed.",
    "When each loop of pawl.yaml is due next stands below, once `pawl serve` has seen it.",
  ],
  arguments: [
    { name: "run", summary: "id of a run, the beginning of one, @last, or an openloop workspace", required: false },
  ],
  options: [
    {
      kind: "flag",
      flags: "--watch",
      summary: "show again whenever something changes, until Ctrl-C or the end of the run",
    },
    { kind: "text", flags: "--status <status>", summary: "only runs with this status", choices: STATUSES },
    { kind: "text", flags: "--blueprint <name>", summary: "only runs of this blueprint" },
    { kind: "count", flags: "--limit <n>", summary: "how many runs", min: 1, default: 20 },
    { kind: "text", flags: "--cursor <cursor>", summary: "go on after the page that ended with this cursor" },
  ],
  examples: [
    { line: "pawl status", does: "the newest runs" },
    { line: "pawl status --status waiting", does: "runs that need an answer" },
    { line: "pawl status @last --watch", does: "watch the newest run" },
  ],
  exits: [0, 1, 3, 130],
  formats: ["json"],
  async run(context) {
    if (context.given.flag("watch") && context.out.format === "json") {
      const message = "--watch is for people; programs read `pawl events RUN --follow --jsonl`.";
      throw pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { command: "status", message });
    }
    const runtime = await context.open({ readOnly: true });
    await tendApprovals(context, runtime);
    const name = context.given.text("run");
    const workspace = name === undefined ? null : await workspaceGiven(context, name);
    if (workspace !== null) {
      const { lookAtWorkspace } = await import("../../openloop/status.ts");
      return showAll(context, () => lookAtWorkspace(context, runtime, workspace));
    }
    const look = name === undefined ? () => lookAtRuns(context, runtime) : await lookAtRun(context, runtime, name);
    return showAll(context, look);
  },
};

async function showAll(context: Context, look: () => Promise<Watched>): Promise<ExitCode> {
  if (context.given.flag("watch")) return watch(context, look);
  const shown = await look();
  if (context.out.format === "json") context.out.document(shown.document);
  for (const line of shown.lines) context.out.line(line);
  return EXIT.succeeded;
}

/** No run has a name with a slash or a dot in it. */
async function workspaceGiven(context: Context, name: string): Promise<string | null> {
  return /[/.]/.test(name) ? (await import("../../openloop/status.ts")).workspaceNamed(context, name) : null;
}

async function lookAtRun(context: Context, runtime: Runtime, name: string): Promise<() => Promise<Watched>> {
  const { run } = await runtime.find(name);
  return async () => {
    const row = await runtime.find(run);
    const story = await readStory(runtime, row.run);
    const hosted = row.holder !== null;
    const { paint } = context.out;
    const lines = [renderHeadline(story, paint, context.now())];
    const beats = hosted ? await runtime.heartbeats(row.run) : [];
    for (const attempt of openAttempts(story).slice(0, 8)) {
      lines.push(
        `  ${oneLine(attempt.stage)} is under way, attempt ${attempt.attempt}, for ${formatElapsed(context.now() - attempt.startedAt)}`,
      );
      const beat = beats.find((each) => each.stage === attempt.stage && each.attempt === attempt.attempt);
      if (beat !== undefined) lines.push(...renderHeartbeat(beat, paint));
    }
    if (row.holder !== null) lines.push(`  hosted by process ${row.holder.pid} on ${oneLine(row.holder.hostname)}`);
    lines.push(...renderNext(nextSteps(story, hosted), paint));
    const exit: ExitCode = exitOfRun(story.status, story.reason);
    const document = { ...runDocument(story, { exit, hosted }), heartbeats: beats };
    return { lines, document, over: isTerminal(row.status) };
  };
}

async function lookAtRuns(context: Context, runtime: Runtime): Promise<Watched> {
  const { given } = context;
  const blueprint = given.text("blueprint");
  const status = given.text("status") as Status | undefined;
  const cursor = given.text("cursor");
  const page = await runtime.list({
    limit: given.count("limit") ?? 20,
    ...(status === undefined ? {} : { status }),
    ...(blueprint === undefined ? {} : { blueprint }),
    ...(cursor === undefined ? {} : { cursor }),
  });
  const lines = page.rows.length === 0 ? ["no runs"] : renderRows(page.rows, context);
  if (page.next !== null) lines.push("", `More: pawl status --cursor ${page.next}`);
  const wakes = await nextWakes(context.root);
  if (wakes.length > 0) lines.push("", ...nextWakeLines(wakes));
  const loops = wakes.length === 0 ? {} : { loops: wakes };
  return { lines, document: { runs: page.rows, next: page.next, ...loops }, over: false };
}

function renderRows(rows: readonly RunRow[], context: Context): string[] {
  const { out } = context;
  const now = context.now();
  const cells = rows.map((row) => [
    row.run,
    { text: stands(row), paint: statusColor(stands(row), out.paint) },
    row.reason ?? "",
    oneLine(row.blueprint),
    formatAge(row.createdAt, now),
    String(row.events),
  ]);
  return renderTable(
    { head: ["run", "status", "reason", "blueprint", "created", "events"], rows: cells },
    out.columns(),
    out.paint.dim,
  );
}

/** `lost`: it should be running and no process hosts it. */
function stands(row: RunRow): string {
  return row.holder === null && (row.status === "running" || row.status === "queued") ? "lost" : row.status;
}
